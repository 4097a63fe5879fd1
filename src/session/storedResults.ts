import type { Redacted } from "../redact/redact.ts";
import { cutPage } from "../result/cutPage.ts";
import type { Results } from "../result/results.ts";
import { resultText, type ToolResult } from "../result/toolResult.ts";
import type { Claim, Store } from "../store/store.ts";

/** Results of a claimed session, kept in the store. Written by the claim's owner only. */
export function storedResults(store: Store, claim: Claim): Results {
  const get = (call: number) => storedResult(store, claim.session, call);
  return {
    put: (call, result) => store.putResult(claim, call, JSON.stringify(result)),
    get,
    async page(call, range) {
      const result = await get(call);
      return result && cutPage(resultText(result), range);
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
