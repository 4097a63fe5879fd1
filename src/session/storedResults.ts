import type { Redacted } from "../redact/redact.ts";
import { cutPage } from "../result/cutPage.ts";
import type { Results } from "../result/results.ts";
import { resultText, type ToolResult } from "../result/toolResult.ts";
import type { ResultRow, Store } from "../store/store.ts";

/** Results of a claimed session, for its log to keep. */
export interface StoredResults extends Results {
  /** Those that were put since the last time, for the append that is about to be made. They can be read until the next. */
  take(): readonly ResultRow[];
}

/** Results of a claimed session: in the store, and those of the last calls, which the model is about to read, in memory. */
export function storedResults(store: Pick<Store, "result">, session: string): StoredResults {
  let fresh = new Map<number, Redacted<ToolResult>>();
  let taken = fresh;
  const get = async (call: number) => fresh.get(call) ?? taken.get(call) ?? (await storedResult(store, session, call));
  return {
    async put(call, result) {
      fresh.set(call, result);
    },
    get,
    async page(call, range) {
      const result = await get(call);
      return result && cutPage(resultText(result), range);
    },
    take() {
      taken = fresh;
      fresh = new Map();
      return [...taken].map(([call, result]) => ({ call, body: JSON.stringify(result) }));
    },
  };
}

/** The result of a call as it was kept; undefined where none was. */
export async function storedResult(
  store: Pick<Store, "result">,
  session: string,
  call: number,
): Promise<Redacted<ToolResult> | undefined> {
  const body = await store.result(session, call);
  // Only `put` writes results, and it takes nothing that is not redacted.
  return body === undefined ? undefined : (JSON.parse(body) as Redacted<ToolResult>);
}
