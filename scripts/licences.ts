import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export interface BundledPackage {
  readonly name: string;
  readonly version: string;
  /** SPDX expression, or `UNKNOWN`. */
  readonly licence: string;
  /** Texts of all licence and notice files. */
  readonly text: string;
}

const ALLOWED =
  /^(MIT|Apache-2\.0|BSD-\d-Clause(-\w+)?|ISC|MPL-2\.0|0BSD|BlueOak-1\.0\.0|CC0-1\.0|Unlicense|Python-2\.0)$/;

/** Whether an SPDX expression lets us ship the package: one side of an OR, both sides of an AND. */
export function isAllowed(expression: string): boolean {
  const bare = expression.replace(/[()]/g, " ").trim();
  return bare.split(/\s+OR\s+/).some((choice) => choice.split(/\s+AND\s+/).every((id) => ALLOWED.test(id.trim())));
}

/** Directories of the packages that the inputs of an esbuild metafile come from, sorted, each once. */
export function packageDirs(inputs: readonly string[]): readonly string[] {
  const dirs = inputs.flatMap((input) => input.match(/^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//)?.[1] ?? []);
  return [...new Set(dirs)].sort();
}

export function readPackage(dir: string): BundledPackage {
  const manifest = JSON.parse(readFileSync(join(dir, "package.json"), "utf8")) as {
    name?: string;
    version?: string;
    license?: string | { type?: string };
    licenses?: readonly { type?: string }[];
  };
  const { license, licenses } = manifest;
  const texts = readdirSync(dir, { withFileTypes: true })
    .filter((entry) => entry.isFile() && /^(licen[cs]e|copying|notice)/i.test(entry.name))
    .map((entry) => entry.name)
    .sort()
    .map((name) => readFileSync(join(dir, name), "utf8").replaceAll("\r\n", "\n").trim());
  return {
    name: manifest.name ?? dir,
    version: manifest.version ?? "",
    licence:
      (typeof license === "string" ? license : license?.type) ??
      licenses?.map(({ type }) => type ?? "UNKNOWN").join(" OR ") ??
      "UNKNOWN",
    text: texts.join("\n\n"),
  };
}

/** The text of THIRD_PARTY_LICENSES.txt. Throws, naming each, when a licence is not one that may be shipped. */
export function licenceFile(packages: readonly BundledPackage[]): string {
  const refused = packages.filter(({ licence }) => !isAllowed(licence));
  if (refused.length > 0) {
    const names = refused.map(({ name, version, licence }) => `${name} ${version} (${licence})`).join(", ");
    throw new Error(`the bundle holds packages whose licence may not be shipped: ${names}`);
  }
  const head = "Korvus contains code of the following packages, each under its own licence.\n";
  const parts = packages.map(
    ({ name, version, licence, text }) =>
      `${"-".repeat(80)}\n${name} ${version} (${licence})\n\n${text || "The package holds no licence text."}\n`,
  );
  return [head, ...parts].join("\n");
}
