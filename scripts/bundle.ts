import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build, type Metafile, type Plugin } from "esbuild";

export interface BundleOptions {
  /** Output name without `.js` → source. */
  readonly entries: Readonly<Record<string, string>>;
  readonly outdir: string;
  /** Becomes `__KORVUS_VERSION__` in the sources. */
  readonly version: string;
}

/** One ES module per entry for Node 24, shared and lazily imported code in `chunks/`, dependencies included. */
export async function bundle({ entries, outdir, version }: BundleOptions): Promise<Metafile> {
  const { metafile } = await build({
    entryPoints: { ...entries },
    outdir,
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node24",
    chunkNames: "chunks/[name]-[hash]",
    metafile: true,
    define: { __KORVUS_VERSION__: JSON.stringify(version) },
    plugins: [lateModules, oneHotChunk],
    // Names stay for stack traces: shortening them as well made no measurable difference to the start.
    minifyWhitespace: true,
    minifySyntax: true,
    // The texts are in THIRD_PARTY_LICENSES.txt.
    legalComments: "none",
    logLevel: "warning",
  });
  for (const file of Object.keys(metafile.outputs)) giveRequire(file);
  return metafile;
}

/**
 * CommonJS dependencies call require for Node's own modules, which an ES module does not have. esbuild asks for it in one
 * shared file; a banner would make every file create one.
 */
function giveRequire(file: string): void {
  const code = readFileSync(file, "utf8");
  if (!code.includes("typeof require")) return;
  const create = 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);';
  writeFileSync(file, `${create}\n${code}`);
}

/**
 * Node's modules that commander loads at every start, 6 ms of a short command, and hardly needs: to run subcommands as
 * programs, which ours are not, to measure coloured help, and for what is global anyway.
 */
const commanderNeedsLate: Readonly<Record<string, string>> = {
  "node:child_process": "export default {};",
  "node:process": "export default process;",
  "node:util": `export const stripVTControlCharacters = (text) =>
    process.getBuiltinModule("node:util").stripVTControlCharacters(text);`,
};

const lateModules: Plugin = {
  name: "late-modules",
  setup(build) {
    build.onResolve({ filter: /^node:(child_process|process|util)$/ }, ({ path, importer }) =>
      importer.includes("/commander/") ? { path, namespace: "late" } : undefined,
    );
    build.onLoad({ filter: /./, namespace: "late" }, ({ path }) => ({ contents: commanderNeedsLate[path] ?? "" }));
  },
};

/**
 * esbuild makes a file of every set of modules that the same entries reach: a dozen for the shortest command, which then
 * spends 5 ms on opening files. What every start loads is therefore reached by every lazily imported module as well,
 * which costs nothing, since it is loaded by then: so it comes as one file.
 */
const oneHotChunk: Plugin = {
  name: "one-hot-chunk",
  setup(bundler) {
    const lazy = new Set<string>();
    bundler.onResolve({ filter: /^\.{1,2}\/.*\.ts$/ }, ({ kind, path, resolveDir }) => {
      if (kind === "dynamic-import") lazy.add(join(resolveDir, path));
      return undefined;
    });
    bundler.onLoad({ filter: /\/src\/.*\.ts$/ }, ({ path }) => {
      if (!lazy.has(path)) return undefined;
      const hot = JSON.stringify(join(import.meta.dirname, "../src/cli/program.ts"));
      return { contents: `${readFileSync(path, "utf8")}\nimport ${hot};\n`, loader: "ts" };
    });
  },
};
