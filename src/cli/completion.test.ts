import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { systemClock } from "../clock/clock.ts";
import { ProcessGroups } from "../mcp/processGroups.ts";
import { completionScript } from "./completion.ts";
import { createProgram } from "./program.ts";
import { processTerminal } from "./terminal.ts";

const program = createProgram(
  {
    terminal: processTerminal(process),
    cwd: "/",
    env: {},
    signal: new AbortController().signal,
    groups: new ProcessGroups(),
    clock: systemClock,
    readInput: async () => "",
  },
  () => undefined,
);

/** What bash offers after the words, the last of which is being typed. */
function offered(...words: readonly string[]): readonly string[] {
  const list = words.map((word) => `'${word}'`).join(" ");
  const run = `${completionScript(program, "bash")}\nCOMP_WORDS=(${list}); COMP_CWORD=${words.length - 1}; _korvus; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return execFileSync("bash", ["-c", run]).toString().split("\n").filter(Boolean);
}

test("bash completes commands, subcommands and their options", () => {
  expect(offered("korvus", "inv")).toEqual(["investigate"]);
  expect(offered("korvus", "skills", "")).toEqual(expect.arrayContaining(["list", "show", "prompt"]));
  expect(offered("korvus", "skills", "list", "--off")).toEqual(["--offline"]);
  expect(offered("korvus", "investigate", "--rec")).toEqual(["--record"]);
});

test("every shell gets a script, another name an error that lists them", () => {
  for (const shell of ["zsh", "fish"]) expect(completionScript(program, shell)).toContain("investigate");
  expect(() => completionScript(program, "tcsh")).toThrow("bash, zsh, fish");
});
