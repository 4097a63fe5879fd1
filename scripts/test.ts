/** `npm test [-- FILTER...]`: installs what the tests need, builds, runs vitest, and ends with a line of counts. */
import { spawnSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { installDebianPackages, installTestServers, type MissingPart, missingParts } from "./testParts.ts";
import { summaryLine, type TestReport, testSummary } from "./testSummary.ts";

const REPORT = ".test-report.json";
process.chdir(join(import.meta.dirname, ".."));
process.exitCode = main(process.argv.slice(2));

function main(filters: readonly string[]): number {
  try {
    installTestServers();
    installDebianPackages();
  } catch (error) {
    console.error(`test set-up: ${(error as Error).message}`);
    if (process.env["CI"]) return 1;
  }
  const missing = missingParts();
  if (missing.length > 0) console.error(describe(missing));
  if (missing.length > 0 && process.env["CI"]) return 1;

  const built = node(["scripts/build.ts"]);
  if (built !== 0) return 1;

  rmSync(REPORT, { force: true });
  const without = [process.env["KORVUS_TEST_WITHOUT"] ?? "", ...missing.map(({ part }) => part)];
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${REPORT}`];
  const status = node(["node_modules/vitest/vitest.mjs", "run", ...reporters, ...filters], {
    KORVUS_TEST_WITHOUT: without.filter((part) => part !== "").join(","),
  });

  const summary = readSummary();
  const empty = summary.passed + summary.failed === 0;
  if (missing.length > 0) console.error(describe(missing));
  if (empty) console.error("No test ran.");
  // An error outside any test, a crash of a worker: no test carries it, and the counts must not look like a success.
  const crashed = status !== 0 && summary.failed === 0 && !empty;
  if (crashed) console.error(`vitest ended with ${status}, although no test failed: counted as a failure.`);
  console.log(summaryLine(crashed ? { ...summary, failed: 1 } : summary));
  return status === 0 && summary.failed === 0 && !empty ? 0 : 1;
}

function readSummary() {
  try {
    return testSummary(JSON.parse(readFileSync(REPORT, "utf8")) as TestReport);
  } catch (error) {
    console.error(`vitest left no report: ${(error as Error).message}`);
    return { passed: 0, failed: 0, skipped: 0 };
  }
}

function describe(missing: readonly MissingPart[]): string {
  const lines = missing.map(({ part, cure }) => `  ${part}  (${cure})`);
  const what = process.env["CI"] ? "CI must run everything, and these are missing" : "LEFT OUT, with every test on it";
  return `\n${what}:\n${lines.join("\n")}\n`;
}

/** Runs the Node that runs this, whatever PATH says. */
function node(args: readonly string[], env: Readonly<Record<string, string>> = {}): number | null {
  return spawnSync(process.execPath, args, { stdio: "inherit", env: { ...process.env, ...env } }).status;
}
