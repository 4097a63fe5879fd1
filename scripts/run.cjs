/*
 * node scripts/run.cjs FILE [ARGUMENTS]: runs a TypeScript file of this repository, or says why that cannot work.
 * Old syntax on purpose: it has to run on any Node to tell people about theirs.
 */
"use strict";
var path = require("path");
var url = require("url");

var version = process.versions.node;
if (parseInt(version, 10) < 24) {
  console.error(
    "Korvus needs Node.js 24 or newer, and this is " +
      version +
      ".\n" +
      "The repository brings its own (the development dependency `node`), and `npm run` puts it first on PATH.\n" +
      (process.env.npm_lifecycle_event
        ? "It is missing, because packages were installed with install scripts switched off. The cure:\n\n" +
          "    npm ci --ignore-scripts=false\n"
        : "Start scripts through npm, for example `npm test` or `npm run build`, after `npm ci`.\n"),
  );
  process.exit(1);
}

var file = path.resolve(process.argv[2]);
process.argv.splice(1, 2, file);
void import(url.pathToFileURL(file).href);
