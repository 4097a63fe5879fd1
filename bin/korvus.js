#!/usr/bin/env node
// Old syntax on purpose, valid as a module and as a script: it has to run on any Node to tell people about theirs.
if (parseInt(process.versions.node, 10) < 24) {
  console.error(
    "korvus needs Node.js 24 or newer, and this is " +
      process.versions.node +
      " (" +
      process.execPath +
      ").\nInstall a current one from https://nodejs.org or with a version manager, for example `nvm install 24`."
  );
  process.exit(1);
}

// Compiled code is kept between runs, which takes a quarter off the start of the large commands. Node's own default is
// below the shared temporary directory, and the home of `sudo`'s caller is not root's to trust: only what is ours.
var cacheHome = process.env.XDG_CACHE_HOME || (process.env.HOME && process.env.HOME + "/.cache") || process.env.LOCALAPPDATA;
var owner = cacheHome && process.getBuiltinModule("node:fs").statSync(cacheHome, { throwIfNoEntry: false });
if (owner && (!process.getuid || owner.uid === process.getuid())) {
  process.getBuiltinModule("node:module").enableCompileCache(cacheHome + "/korvus/compiled");
}

void import("../dist/cli.js");
