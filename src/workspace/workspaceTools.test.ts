import { expect, test } from "vitest";
import { tempDir } from "../../test/kit/tempDir.ts";
import { isEmpty } from "../result/isEmpty.ts";
import { globPattern } from "./globPattern.ts";
import { callWorkspaceTool } from "./workspaceTools.ts";

const signal = new AbortController().signal;

async function place(files: Readonly<Record<string, string | Uint8Array>>) {
  const dir = await tempDir(files);
  const tree = { path: dir.path, commit: "0".repeat(40), leftOut: [{ path: "big.bin", reason: "is too large" }] };
  return {
    call: async (tool: string, args: Readonly<Record<string, string | number>> = {}) => {
      const result = await callWorkspaceTool(tree, tool, args, signal);
      return { ...result, text: result.content[0]?.text ?? "" };
    },
    [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose](),
  };
}

test("files are listed in the order of bytes with their sizes, and what is left out is named", async () => {
  await using tree = await place({ "b.txt": "bb", "a/c.yml": "c", "a/d.txt": "dddd", "Z.txt": "" });

  expect((await tree.call("list_files")).text).toBe(
    "Z.txt\t0\na/c.yml\t1\na/d.txt\t4\nb.txt\t2\n[left out: big.bin is too large]",
  );
  expect((await tree.call("list_files", { path: "a" })).text).toContain("a/c.yml\t1\na/d.txt\t4");
  expect((await tree.call("list_files", { pattern: "**/*.yml" })).text).toMatch(/^a\/c\.yml\t1\n\[left/);
});

test("a file is read by lines; a long one says how to read on", async () => {
  const long = Array.from({ length: 30_000 }, (_, index) => `line ${index + 1}`).join("\n");
  await using tree = await place({
    "long.txt": long,
    "bin.dat": new Uint8Array([0, 255]),
    empty: "",
    "one.txt": "a\r\nb\n",
  });

  expect((await tree.call("read_file", { path: "./one.txt" })).text).toBe("1\ta\r\n2\tb");
  expect((await tree.call("read_file", { path: "long.txt", from: 10, to: 11 })).text).toBe("10\tline 10\n11\tline 11");
  const { text } = await tree.call("read_file", { path: "long.txt" });
  const [, next] = /read on with from (\d+)\]$/.exec(text) ?? [];
  expect((await tree.call("read_file", { path: "long.txt", from: Number(next) })).text).toMatch(
    new RegExp(`^${next}\\tline ${next}\\n`),
  );
  expect((await tree.call("read_file", { path: "bin.dat" })).text).toContain("no text");
});

test.each([
  ["read_file", { path: "../../etc/passwd" }, "leads out"],
  ["read_file", { path: "nope" }, "there is no file"],
  ["read_file", { path: "big.bin" }, "is too large"],
  ["read_file", { path: "a" }, "is a directory"],
  ["read_file", {}, "path is needed"],
  ["read_file", { path: "x.txt", from: 9 }, "has 1 lines"],
  ["read_file", { path: "x.txt", from: 0.5 }, "whole number"],
  ["list_files", { path: "nope" }, "there is no"],
  ["search_files", { text: "" }, "text is needed"],
  ["erase_files", {}, "no tool named"],
])("%s %j is an error that a model can read", async (tool, args, message) => {
  await using tree = await place({ "x.txt": "x", "a/b.txt": "b" });

  expect(await tree.call(tool, args)).toMatchObject({ isError: true, text: expect.stringContaining(message) });
});

test("a text is found in any case, with file and line; nothing found counts as empty", async () => {
  await using tree = await place({
    "rules/a.yml": "alert: HighLatency\nexpr: x",
    "b.txt": "highlatency here",
    "c.bin": new Uint8Array([0]),
  });

  expect((await tree.call("search_files", { text: "HIGHlatency" })).text).toBe(
    "b.txt:1: highlatency here\nrules/a.yml:1: alert: HighLatency\n[1 files are no text and were not searched]",
  );
  expect((await tree.call("search_files", { text: "highlatency", pattern: "rules/*" })).text).toMatch(/^rules/);
  const { text: _, ...nothing } = await tree.call("search_files", { text: "nowhere", path: "rules" });
  expect(isEmpty(nothing)).toBe(true);
});

test.each([
  ["*.yml", "a.yml", true],
  ["*.yml", "a/b.yml", false],
  ["**/*.yml", "b.yml", true],
  ["**/*.yml", "a/b/c.yml", true],
  ["a/**", "a/b/c", true],
  ["a?c", "abc", true],
  ["a?c", "a/c", false],
  ["a.c", "abc", false],
  ["(a+)+$", "(a+)+$", true],
])("%s against %s: %s", (pattern, path, matches) => {
  expect(globPattern(pattern)(path)).toBe(matches);
});

test("a pattern made to be slow is not", () => {
  expect(globPattern("*a".repeat(90))("a".repeat(700))).toBe(true);
});
