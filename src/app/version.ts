import { readFileSync } from "node:fs";

declare const __KORVUS_VERSION__: string | undefined;

/** Of this Korvus: built in by the bundler, read from package.json where the sources run unbuilt. */
export const version: string =
  typeof __KORVUS_VERSION__ === "string"
    ? __KORVUS_VERSION__
    : (JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as { version: string }).version;
