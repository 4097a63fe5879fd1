/**
 * Sessions at once on one worker, and on two: five steps, two real tool calls each, durable events, a model that takes
 * 200 ms a step: `node bench/sessions.ts [--profile]`. Ideal is the model's time alone: one second for any number of sessions.
 * Aim: 90 % of it at 1,000 sessions. The floor is what this machine takes for the same waits, calls and rows without Korvus.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { StoreAddress } from "../src/store/openStore.ts";
import { startPostgres } from "../test/kit/startPostgres.ts";
import { tempDir } from "../test/kit/tempDir.ts";
import type { FloorResult } from "./sessionFloor.ts";
import type { WorkerResult } from "./sessionWorker.ts";

/** Five steps of 200 ms. */
const ideal = 1_000;

export interface SessionsRow {
  readonly store: string;
  readonly workers: number;
  readonly sessions: number;
  /** Of the slowest worker, ms. */
  readonly elapsed: number;
  /** Share of the ideal throughput, and of the floor's with as many sessions on one worker. */
  readonly ofIdeal: number;
  readonly ofFloor: number;
  /** Of all workers, ms a session. */
  readonly cpuPerSession: number;
  /** KiB a session, of the resident set. */
  readonly memoryPerSession: number;
  readonly profile: WorkerResult["profile"];
}

export async function benchSessions(profile: boolean): Promise<readonly SessionsRow[]> {
  await using postgres = await startPostgres();
  const rows: SessionsRow[] = [];
  const floors = new Map<number, number>();
  for (const sessions of [50, 100, 200, 1_000]) floors.set(sessions, await measureFloor(sessions));
  for (const [workers, sessions] of [
    [1, 50],
    [1, 100],
    [1, 200],
    [1, 1_000],
    [2, 1_000],
  ] as const) {
    for (const store of ["sqlite", "postgres"] as const) {
      if (store === "sqlite" && workers > 1) continue;
      const url = store === "postgres" ? await postgres.createDatabase(`bench_${workers}_${sessions}`) : "";
      rows.push(
        await measure({
          store,
          url,
          workers,
          sessions,
          floor: floors.get(sessions) ?? Number.NaN,
          profile: profile && sessions === 1_000 && workers === 1,
        }),
      );
    }
  }
  return rows;
}

interface Setting {
  readonly store: "sqlite" | "postgres";
  readonly url: string;
  readonly workers: number;
  readonly sessions: number;
  /** What it takes without Korvus, ms. */
  readonly floor: number;
  readonly profile: boolean;
}

async function measureFloor(sessions: number): Promise<number> {
  await using dir = await tempDir();
  const args = [join(import.meta.dirname, "sessionFloor.ts"), dir.path, String(sessions)];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const { value } = await createInterface({ input: child.stdout })[Symbol.asyncIterator]().next();
  return (JSON.parse(value as string) as FloorResult).elapsed;
}

async function measure({ store, url, workers, sessions, floor, profile }: Setting): Promise<SessionsRow> {
  const program = join(import.meta.dirname, "sessionWorker.ts");
  const share = sessions / workers;
  const children: { child: ChildProcess; lines: AsyncIterator<string> }[] = [];
  await using stack = new AsyncDisposableStack();
  for (let index = 0; index < workers; index++) {
    const dir = stack.use(await tempDir());
    mkdirSync(join(dir.path, "skills"));
    writeFileSync(join(dir.path, "skills/probe.md"), "---\nname: probe-skill\nmcp_server: probe\n---\nUse echo.");
    const address: StoreAddress =
      store === "postgres" ? { kind: "postgres", url } : { kind: "sqlite", path: join(dir.path, "state/korvus.db") };
    const args = [program, dir.path, JSON.stringify(address), String(share), ...(profile ? ["--profile"] : [])];
    const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] });
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    await lines.next();
    children.push({ child, lines });
  }
  for (const { child } of children) child.stdin?.write("go\n");
  const results = await Promise.all(
    children.map(async ({ lines }) => JSON.parse((await lines.next()).value as string) as WorkerResult),
  );
  for (const { child } of children) child.kill();
  const elapsed = Math.max(...results.map((result) => result.elapsed));
  const sum = (of: (result: WorkerResult) => number) => results.reduce((total, result) => total + of(result), 0);
  return {
    store,
    workers,
    sessions,
    elapsed,
    ofIdeal: ideal / elapsed,
    ofFloor: floor / elapsed,
    cpuPerSession: sum(({ cpu }) => cpu) / sessions,
    memoryPerSession: sum(({ memory }) => memory) / sessions / 1024,
    profile: results[0]?.profile ?? [],
  };
}

export function showSessions(rows: readonly SessionsRow[]): string {
  const lines = rows.map(
    (row) =>
      `  ${row.store.padEnd(9)} ${row.workers} worker${row.workers === 1 ? " " : "s"} ${String(row.sessions).padStart(5)} sessions  ${(row.elapsed / 1000).toFixed(2).padStart(6)} s  ${(row.ofIdeal * 100).toFixed(0).padStart(3)} % of ideal ${(row.ofFloor * 100).toFixed(0).padStart(4)} % of the floor  ${(row.sessions / (row.elapsed / 1000)).toFixed(0).padStart(4)}/s  cpu ${row.cpuPerSession.toFixed(1)} ms  memory ${row.memoryPerSession.toFixed(0)} KiB a session`,
  );
  const profiles = rows
    .filter(({ profile }) => profile.length > 0)
    .map(
      ({ store, profile }) =>
        `  ${store}, where the time goes: ${profile.map(({ place, share }) => `${place} ${(share * 100).toFixed(0)} %`).join(", ")}`,
    );
  return [
    `sessions: five steps of 200 ms, two tool calls, durable; ideal 1.00 s; ${cpus().length} cores (aim: 90 % at 1,000)`,
    ...lines,
    ...profiles,
  ].join("\n");
}

if (process.argv[1] === import.meta.filename)
  console.log(showSessions(await benchSessions(process.argv.includes("--profile"))));
