"use strict";
const { spawn } = require("child_process");
const { constants } = require("os");
const manifest = require("../package.json");
const { bundledNode, isEnough, lack } = require("./find-node.js");

/** What a process manager or a terminal may send. SIGUSR1 is left to Node.js: it starts the debugger. */
const FORWARDED = ["SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT", "SIGUSR2"];

/**
 * Runs a script on a Node.js that is new enough: in this process where it is one, else in that of the package.
 * Says in one line what is missing, and ends with 1, when there is none.
 * @param {string} script path of what to run
 * @param {readonly string[]} args its arguments
 */
function launch(script, args) {
  const range = manifest.engines.node;
  if (isEnough(process.versions.node, range)) {
    // As if Node.js had been started with the script: process.argv, import.meta.main, and no second process.
    process.argv.splice(1, process.argv.length, script, ...args);
    require("module").runMain();
    return;
  }
  const node = bundledNode(range);
  if (node === undefined) {
    process.stderr.write(lack(range, Object.keys(manifest.optionalDependencies)) + "\n");
    process.exitCode = 1;
    return;
  }
  handOver(node, process.execArgv.concat(script, args));
}

/**
 * A process of its own, as an old Node.js cannot become another program: it gets our signals, we take its end.
 * @param {string} node
 * @param {readonly string[]} args
 */
function handOver(node, args) {
  /** @type {import("child_process").ChildProcess | undefined} */
  let child;
  /** @param {NodeJS.Signals} signal */
  const forward = (signal) => {
    // Windows tells every process of a console by itself, and knows no other way than to end one at once.
    if (child !== undefined && process.platform !== "win32") child.kill(signal);
  };
  for (const signal of FORWARDED) process.on(signal, forward);
  // By this the exporter knows whom it must not outlive (src/app/process/launched.ts).
  const env = Object.assign({}, process.env, { PRTG_EXPORTER_LAUNCHER: String(process.pid) });
  child = spawn(node, args, { stdio: "inherit", env });
  child.on("error", (error) => {
    process.stderr.write("prtg-exporter: " + node + " cannot be run here: " + error.message + "\n");
    process.exit(1);
  });
  child.on("exit", (code, signal) => {
    if (signal === null) process.exit(code === null ? 1 : code);
    for (const name of FORWARDED) process.removeListener(name, forward);
    process.kill(process.pid, signal);
    // The first process of a container does not die of what it does not handle.
    process.exit(128 + constants.signals[signal]);
  });
}

module.exports = { launch };
