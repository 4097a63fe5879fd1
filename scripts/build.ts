/** `npm run build`: the bundle, the declarations of `korvus/skill` and the licences of everything inside. */
import { spawnSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { bundle } from "./bundle.ts";
import { licenceFile, packageDirs, readPackage } from "./licences.ts";

const root = join(import.meta.dirname, "..");
process.chdir(root);
const started = performance.now();

const entries = { cli: "src/cli/main.ts", skill: "src/entry/skill.ts" };

rmSync("dist", { recursive: true, force: true });
const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };
const metafile = await bundle({ entries, outdir: "dist", version });

const packages = packageDirs(Object.keys(metafile.inputs)).map(readPackage);
writeFileSync("dist/THIRD_PARTY_LICENSES.txt", licenceFile(packages));

const types = ["node_modules/typescript/bin/tsc", "-p", "scripts/tsconfig.types.json"];
if (spawnSync(process.execPath, types, { stdio: "inherit" }).status !== 0) {
  throw new Error("tsc could not write the declarations of korvus/skill");
}

const bytes = Object.values(metafile.outputs).reduce((sum, output) => sum + output.bytes, 0);
const files = Object.keys(metafile.outputs).length;
console.log(
  `build: ${files} files, ${Math.round(bytes / 1024)} KiB, ${packages.length} packages inside, ` +
    `${((performance.now() - started) / 1000).toFixed(1)} s`,
);
