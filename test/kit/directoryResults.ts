import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Redacted } from "../../src/redact/redact.ts";
import { cutPage } from "../../src/result/cutPage.ts";
import type { Results } from "../../src/result/results.ts";
import { resultText, type ToolResult } from "../../src/result/toolResult.ts";

/** Results as one JSON file a call in a directory of their own, readable by their owner only. */
export function directoryResults(path: string): Results {
  const fileOf = (call: number) => join(path, `${call}.json`);

  async function get(call: number): Promise<Redacted<ToolResult> | undefined> {
    try {
      // Only `put` writes these files, and it takes nothing that is not redacted.
      return JSON.parse(await readFile(fileOf(call), "utf8")) as Redacted<ToolResult>;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
      throw error;
    }
  }

  return {
    async put(call, result) {
      await mkdir(path, { recursive: true, mode: 0o700 });
      // Renamed into place, so that a crash leaves a whole file or none.
      await writeFile(`${fileOf(call)}.part`, JSON.stringify(result), { mode: 0o600 });
      await rename(`${fileOf(call)}.part`, fileOf(call));
    },
    get,
    async page(call, range) {
      const result = await get(call);
      return result && cutPage(resultText(result), range);
    },
  };
}
