#!/usr/bin/env node
// Old syntax on purpose, valid as a module and as a script: it has to run on any Node to tell people about theirs.
if (parseInt(process.versions.node, 10) >= 24) {
  // Compiled code is kept between runs, which takes a quarter off the start of the large commands. Node's own default is
  // below the shared temporary directory, and the home of `sudo`'s caller is not root's to trust: only what is ours.
  var cacheHome = process.env.XDG_CACHE_HOME || (process.env.HOME && process.env.HOME + "/.cache") || process.env.LOCALAPPDATA;
  var owner = cacheHome && process.getBuiltinModule("node:fs").statSync(cacheHome, { throwIfNoEntry: false });
  if (owner && (!process.getuid || owner.uid === process.getuid())) {
    process.getBuiltinModule("node:module").enableCompileCache(cacheHome + "/korvus/compiled");
  }

  void import("../dist/cli.js");
} else {
  var checkout = linkedCheckout();
  if (checkout) {
    runOnItsNode(checkout);
  } else {
    console.error(
      "korvus needs Node.js 24 or newer, and this is " +
        process.versions.node +
        " (" +
        process.execPath +
        ").\nInstall a current one from https://nodejs.org or with a version manager, for example `nvm install 24`."
    );
    process.exit(1);
  }
}

/** After `npm link`, a checkout with a Node.js of its own, the development dependency `node`; else undefined. */
function linkedCheckout() {
  if (!process.getBuiltinModule || !process.argv[1]) return undefined;
  var fs = process.getBuiltinModule("node:fs");
  var stub = fs.realpathSync(process.argv[1]);
  var node = process.getBuiltinModule("node:path").join(stub, "../../node_modules/node/bin/node");
  return fs.existsSync(node) ? { node: node, stub: stub } : undefined;
}

function runOnItsNode(found) {
  var args = [found.stub].concat(process.argv.slice(2));
  var child = process.getBuiltinModule("node:child_process").spawn(found.node, args, { stdio: "inherit" });
  // Ctrl-C reaches the child from the terminal, and a second one would end it at once: only the others are passed on.
  process.on("SIGINT", function () {});
  ["SIGTERM", "SIGHUP"].forEach(function (name) {
    process.on(name, function () {
      child.kill(name);
    });
  });
  child.on("error", function (error) {
    console.error(found.node + " does not start: " + error.message);
    process.exitCode = 1;
  });
  child.on("exit", function (code) {
    process.exitCode = code === null ? 1 : code;
  });
}
