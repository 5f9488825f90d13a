"use strict";
const { spawn } = require("child_process");
const { constants } = require("os");
const manifest = require("../package.json");
const { bundledNode, isEnough, lack } = require("./find-node.js");
const { COMMAND_LINE, hasSettings, withSettings } = require("./node-settings.js");

/** What a process manager or a terminal may send. SIGUSR1 is left to Node.js: it starts the debugger. */
const FORWARDED = ["SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT", "SIGUSR2"];

/**
 * Runs the exporter with its settings of Node.js. This process becomes the exporter if Node.js can do that (not on Windows), with
 * the same id and output. It keeps the settings that it has if a parent talks to it, as that channel would be lost.
 * @param {string} script
 * @param {readonly string[]} args
 */
function launchExporter(script, args) {
  const env = withSettings(process.env);
  const { execPath, execve, execArgv, platform, send, versions } = process;
  const canBecome = execve !== undefined && platform !== "win32" && send === undefined && !hasSettings(process.env);
  if (canBecome && isEnough(versions.node, manifest.engines.node)) {
    execve(execPath, [execPath].concat(COMMAND_LINE, execArgv, script, args), env);
  } else {
    launch(script, args, env, COMMAND_LINE);
  }
}

/**
 * Runs a script on a Node.js that is new enough: in this process if it is one, else in that of the package.
 * Says in one line what is missing and ends with 1 if there is none.
 * @param {string} script path of what to run
 * @param {readonly string[]} args its arguments
 * @param {NodeJS.ProcessEnv} [env] of another process, if one is needed
 * @param {readonly string[]} [flags] of that process, before ours
 */
function launch(script, args, env = process.env, flags = []) {
  const range = manifest.engines.node;
  if (isEnough(process.versions.node, range)) {
    runHere(script, args);
    return;
  }
  const node = bundledNode(range);
  if (node === undefined) {
    process.stderr.write(lack(manifest) + "\n");
    process.exitCode = 1;
    return;
  }
  handOver(node, flags.concat(process.execArgv, script, args), env);
}

/**
 * As if Node.js had been started with the script: process.argv, import.meta.main, and no second process.
 * @param {string} script
 * @param {readonly string[]} args
 */
function runHere(script, args) {
  process.argv.splice(1, process.argv.length, script, ...args);
  require("module").runMain();
}

/**
 * A process of its own, as an old Node.js cannot become another program: it gets our signals, we take its end.
 * @param {string} node
 * @param {readonly string[]} args
 * @param {NodeJS.ProcessEnv} env
 */
function handOver(node, args, env) {
  /** @type {import("child_process").ChildProcess | undefined} */
  let child;
  /** @param {NodeJS.Signals} signal */
  const forward = (signal) => {
    // Windows tells every process of a console by itself, and knows no other way than to end one at once.
    if (child !== undefined && process.platform !== "win32") child.kill(signal);
  };
  for (const signal of FORWARDED) process.on(signal, forward);
  // By this the exporter knows whom it must not outlive (packages/simulator/src/command/launched.ts).
  const known = Object.assign({}, env, { PRTG_EXPORTER_LAUNCHER: String(process.pid) });
  child = spawn(node, args, { stdio: "inherit", env: known });
  child.on("error", (error) => {
    process.stderr.write(manifest.name + ": " + node + " cannot be run here: " + error.message + "\n");
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

module.exports = { launch, launchExporter };
