import { build, type Metafile } from "esbuild";

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
    // CommonJS dependencies call require for Node's own modules, which an ES module does not have.
    banner: {
      js: 'import { createRequire as korvusCreateRequire } from "node:module"; const require = korvusCreateRequire(import.meta.url);',
    },
    // Names stay for stack traces: shortening them as well made no measurable difference to the start.
    minifyWhitespace: true,
    minifySyntax: true,
    // The texts are in THIRD_PARTY_LICENSES.txt.
    legalComments: "none",
    logLevel: "warning",
  });
  return metafile;
}
