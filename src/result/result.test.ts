import fc from "fast-check";
import { expect, test } from "vitest";
import { directoryResults } from "../../test/kit/directoryResults.ts";
import { tempDir } from "../../test/kit/tempDir.ts";
import { redactor } from "../redact/redact.ts";
import { cutPage } from "./cutPage.ts";
import { isEmpty } from "./isEmpty.ts";
import { resultText, textResult } from "./toolResult.ts";

test.each([
  ["blank text", "  \n"],
  ["an empty list", "[]"],
  ["null", "null"],
  ["an empty Prometheus matrix", '{"resultType":"matrix","result":[]}'],
  ["an empty Prometheus response", '{"status":"success","data":{"resultType":"vector","result":[]}}'],
  ["an empty Loki answer with statistics", '{"data":{"result":[],"stats":{"summary":{"execTime":0.1}}}}'],
  ["an empty Tempo search", '{"traces":[],"metrics":{"inspectedTraces":12}}'],
  ["no alerts with a count", '{"count":0,"alerts":[]}'],
  ["prose that says so", "No alerts found matching the filter."],
  ["prose with a number", "0 results returned"],
])("%s is empty", (_, text) => {
  expect(isEmpty(textResult(text))).toBe(true);
});

test.each([
  ["a value of zero", '{"value":0}'],
  ["the number zero", "0"],
  ["one series", '{"result":[{"metric":{},"values":[[1,"0"]]}]}'],
  ["a log line that begins with no", "no connection to payments:8080\nretrying"],
  ["text that begins with a bracket", "[ERROR] payments is down"],
  ["a sentence about something else", "No, the pod payments-1 restarted twice because of its memory limit"],
])("%s is not empty", (_, text) => {
  expect(isEmpty(textResult(text))).toBe(false);
});

test("a result without any content is empty, structured content counts", () => {
  expect(isEmpty({ content: [], isError: false })).toBe(true);
  expect(isEmpty({ content: [], structuredContent: { rows: [1] }, isError: false })).toBe(false);
});

test("blocks that are no text are named in the text", () => {
  const text = resultText({
    content: [
      { type: "text", text: "before" },
      { type: "image", mimeType: "image/png", data: "AAAA" },
      { type: "resource", resource: { uri: "file:///x", text: "inside" } },
      { type: "resource_link", uri: "file:///y", name: "y" },
    ],
    isError: false,
  });

  expect(text).toBe("before\n[image image/png: not text, not shown]\ninside\n[link to file:///y: y]");
});

test("pages of any text join to the text again, and none ends inside a character", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.integer({ min: 1, max: 7 }), (text, limit) => {
      const pages: string[] = [];
      for (let offset: number | undefined = 0; offset !== undefined; ) {
        const page = cutPage(text, { offset, limit });
        pages.push(page.text);
        offset = page.next;
      }
      expect(pages.join("")).toBe(text);
      for (const page of pages) expect(page.isWellFormed()).toBe(true);
    }),
  );
});

test("a result that was put is read again by another reader of the directory", async () => {
  await using dir = await tempDir();
  const result = redactor([])(textResult("abcdef"));
  await directoryResults(`${dir.path}/results`).put(3, result);

  const reader = directoryResults(`${dir.path}/results`);

  expect(await reader.get(3)).toEqual(result);
  expect(await reader.page(3, { offset: 2, limit: 2 })).toEqual({ text: "cd", offset: 2, next: 4, total: 6 });
  expect(await reader.get(4)).toBeUndefined();
});

test("text that is JSON nested a hundred thousand deep is text like any other", () => {
  expect(isEmpty(textResult(`${"[".repeat(100_000)}${"]".repeat(100_000)}`))).toBe(false);
});
