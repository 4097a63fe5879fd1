/** `npm run check`: types, lint, format, unused code. Runs all of them and names each that failed. */
import { spawnSync } from "node:child_process";

const checks: readonly (readonly [name: string, command: string, ...args: string[]])[] = [
  ["types", "tsc", "-p", "."],
  ["lint", "oxlint", "--type-aware", "--deny-warnings"],
  ["protos", "buf", "lint"],
  ["format", "biome", "check", "--error-on-warnings"],
  ["rooms", "vitest", "run", "src/rooms.test.ts", "--reporter=dot"],
  ["unused", "knip", "--no-progress"],
];

const failed = checks
  .filter(([name, command, ...args]) => {
    console.log(`\n== ${name}: ${command} ${args.join(" ")}`);
    return spawnSync(command, args, { stdio: "inherit" }).status !== 0;
  })
  .map(([name]) => name);

console.log(failed.length === 0 ? "\nchecks: all good" : `\nchecks failed: ${failed.join(", ")}`);
process.exitCode = failed.length === 0 ? 0 : 1;
