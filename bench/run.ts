/** `npm run bench [-- --json]`: builds, then every bench in turn. Nothing here passes or fails; aims stand beside the figures. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { benchLoad, showLoad } from "./load.ts";
import { benchLoop, showLoop } from "./loop.ts";
import { benchSeed, showSeed } from "./seed.ts";
import { benchSessions, showSessions } from "./sessions.ts";
import { benchStart, showStart } from "./start.ts";

const json = process.argv.includes("--json");
const build = spawnSync(process.execPath, [join(import.meta.dirname, "../scripts/build.ts")], {
  stdio: ["ignore", "ignore", "inherit"],
});
if (build.status !== 0) throw new Error("the build failed, and the start of the bundle cannot be measured");

const load = await benchLoad();
const loop = await benchLoop();
const start = benchStart();
const seed = await benchSeed();
const sessions = await benchSessions(false);
console.log(
  json
    ? JSON.stringify({ load, loop, start, seed, sessions })
    : [showLoad(load), showLoop(loop), showStart(start), showSeed(seed), showSessions(sessions)].join("\n\n"),
);
