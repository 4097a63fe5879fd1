/**
 * `node test/runbook/count.ts --dir DIR [--runs 42] [--from 1] [--replay] [--skills DIR] [--only KIND]`
 *
 * How often the runbook suspects the right service first. Each seed is an incident of its own on the live bed, about 80
 * seconds; its recording and what came of it are kept in DIR, and a seed that is there already is not run again. With
 * `--replay` nothing is started: the recordings in DIR are investigated again, with the code as it is now. Recordings
 * hold the calls that were made, so a change of what is asked needs live runs.
 */
import { access, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { gunzipSync, gzipSync } from "node:zlib";
import type { Report } from "../../src/report/report.ts";
import { tempDir } from "../kit/tempDir.ts";
import { deploymentOf, replayOf } from "./deploymentOf.ts";
import { happen, type Incident, incidentOf, round } from "./incident.ts";
import { firstSuspect, investigateWith } from "./investigateWith.ts";

/** What came of one seed. */
interface Result {
  readonly seed: number;
  readonly kind: string;
  readonly role: string;
  readonly culprit?: string;
  readonly first?: string;
  readonly verdict: string;
  readonly right: boolean;
  readonly summary: string;
}

const { values } = parseArgs({
  options: {
    dir: { type: "string" },
    runs: { type: "string", default: String(3 * round) },
    from: { type: "string", default: "1" },
    skills: { type: "string" },
    only: { type: "string" },
    replay: { type: "boolean", default: false },
  },
});
if (values.dir === undefined) throw new Error("--dir DIR: where recordings and results are kept");
const dir = resolve(values.dir);
const skills = values.skills === undefined ? {} : { skills: resolve(values.skills) };
await mkdir(dir, { recursive: true });

const stop = new AbortController();
for (const name of ["SIGINT", "SIGTERM"] as const) process.on(name, () => stop.abort(new Error("interrupted")));

const results: Result[] = [];
const first = Number(values.from);
for (let seed = first; seed < first + Number(values.runs) && !stop.signal.aborted; seed++) {
  const incident = incidentOf(seed);
  if (values.only !== undefined && (incident.cause?.fault.kind ?? "none") !== values.only) continue;
  try {
    const result = values.replay ? await replayed(incident) : ((await kept(seed)) ?? (await lived(incident)));
    if (!result) continue;
    results.push(result);
    const mark = result.right ? "ok  " : "MISS";
    console.log(
      `${mark} ${seed} ${result.kind} in ${result.role} (${result.culprit ?? "-"}): ${result.verdict}: ${result.summary}`,
    );
  } catch (error) {
    console.log(`---- ${seed} could not be run: ${(error as Error).message}`);
  }
}
printTable(results);

async function kept(seed: number): Promise<Result | undefined> {
  try {
    return JSON.parse(await readFile(`${dir}/${seed}.json`, "utf8")) as Result;
  } catch {
    // Not run yet.
    return undefined;
  }
}

async function lived(incident: Incident): Promise<Result> {
  const { seed, window } = incident;
  await using bed = await happen(incident, stop.signal);
  const file = await bed.korvusYaml({ servers: ["prometheus", "alertmanager", "otel"] });
  const record = `${dir}/${seed}.jsonl`;
  await rm(record, { force: true });
  let report: Report;
  {
    await using deployment = await deploymentOf({ file, record, ...skills });
    ({ report } = await investigateWith(deployment, { since: window }));
  }
  await writeFile(`${record}.gz`, gzipSync(await readFile(record)));
  await rm(record);
  const result = judged(incident, report);
  await writeFile(`${dir}/${seed}.json`, `${JSON.stringify(result)}\n`);
  return result;
}

async function replayed(incident: Incident): Promise<Result | undefined> {
  const packed = `${dir}/${incident.seed}.jsonl.gz`;
  if (
    !(await access(packed).then(
      () => true,
      () => false,
    ))
  )
    return undefined;
  await using place = await tempDir();
  const recording = `${place.path}/recording.jsonl`;
  await writeFile(recording, gunzipSync(await readFile(packed)));
  await using deployment = await replayOf(recording, skills);
  const { report } = await investigateWith(deployment, { since: incident.window });
  return judged(incident, report);
}

/** Right is: the culprit comes first; without a fault, nothing is claimed. */
function judged({ seed, cause, names }: Incident, report: Report): Result {
  const culprit = cause && names[cause.role];
  const suspect = firstSuspect(report, Object.values(names));
  return {
    seed,
    kind: cause?.fault.kind ?? "none",
    role: cause?.role ?? "-",
    ...(culprit === undefined ? {} : { culprit }),
    ...(suspect === undefined ? {} : { first: suspect }),
    verdict: report.verdict,
    right: culprit === undefined ? report.verdict === "inconclusive" : suspect === culprit,
    summary: report.summary,
  };
}

function printTable(results: readonly Result[]): void {
  const kinds = [...new Set(results.map(({ kind }) => kind))];
  const roles = [...new Set(results.map(({ role }) => role))];
  const cell = (list: readonly Result[]) =>
    list.length === 0 ? "" : `${list.filter(({ right }) => right).length}/${list.length}`;
  const row = (name: string, of: (role: string) => readonly Result[], all: readonly Result[]) =>
    [name.padEnd(10), ...roles.map((role) => cell(of(role)).padEnd(11)), cell(all)].join("");
  console.log(`\n${["".padEnd(10), ...roles.map((role) => role.padEnd(11)), "all"].join("")}`);
  for (const kind of kinds) {
    const of = results.filter((result) => result.kind === kind);
    console.log(row(kind, (role) => of.filter((result) => result.role === role), of));
  }
  const faulty = results.filter(({ kind }) => kind !== "none");
  console.log(row("faults", (role) => faulty.filter((result) => result.role === role), faulty));
  const misses = results.filter(({ right }) => !right);
  for (const { seed, kind, role, culprit, first, verdict, summary } of misses)
    console.log(
      `\nmiss: seed ${seed}, ${kind} in ${role} (${culprit ?? "-"}), first was ${first ?? "nobody"} (${verdict}): ${summary}`,
    );
}
