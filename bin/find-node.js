"use strict";
// Runs on any Node.js since 12, so that an old one can say what it lacks: no newer syntax, no "node:" in names.
const { existsSync } = require("fs");
const { dirname, join } = require("path");

/** `>=24` or `>=24.1`, as `engines` in package.json has it. */
const RANGE = /^>=(\d+(?:\.\d+)*)$/;

/**
 * Whether a version of Node.js is new enough.
 * @param {string} version `26.1.0`
 * @param {string} range of `engines`: `>=24`
 */
function isEnough(version, range) {
  const least = (RANGE.exec(range) || [])[1];
  if (least === undefined) throw new Error("package.json: engines.node is to be like >=24, and is " + range);
  const found = version.split(".").map(Number);
  for (const [at, wanted] of least.split(".").map(Number).entries()) {
    const part = found[at] || 0;
    if (part !== wanted) return part > wanted;
  }
  return true;
}

/**
 * The npm package that brings Node.js for a machine.
 * @param {string} platform of process.platform
 * @param {string} arch of process.arch
 */
function packageName(platform, arch) {
  return "node-" + (platform === "win32" ? "win" : platform) + "-" + arch;
}

/**
 * Path of the Node.js that came as a package; undefined when none that is new enough is installed. Never by `.bin/node`:
 * the packages of all platforms claim that name, and npm 9 and 10 remove the link with the last one that they skip.
 * @param {string} range of `engines`
 */
function bundledNode(range) {
  const name = packageName(process.platform, process.arch);
  let manifest;
  try {
    manifest = require.resolve(name + "/package.json");
  } catch {
    return undefined;
  }
  const file = join(dirname(manifest), "bin", process.platform === "win32" ? "node.exe" : "node");
  return isEnough(require(manifest).version, range) && existsSync(file) ? file : undefined;
}

/**
 * What to tell when no Node.js is new enough, in one line.
 * @param {Manifest} manifest
 */
function lack(manifest) {
  return (
    manifest.name +
    " needs Node.js " +
    manifest.engines.node.replace(">=", "") +
    " or newer, found " +
    process.versions.node +
    " (" +
    process.execPath +
    "); " +
    remedyOf(manifest)
  );
}

/**
 * @typedef {Readonly<Record<string, string>>} Packages
 * @typedef {{ name: string, engines: { node: string }, optionalDependencies?: Packages, peerDependencies?: Packages }} Manifest
 */

/**
 * @param {Manifest} manifest
 */
function remedyOf(manifest) {
  const name = packageName(process.platform, process.arch);
  if (name in (manifest.optionalDependencies || {})) {
    return "the package " + name + ", which would bring one, is not installed: install again with --include=optional";
  }
  // The user decides about an optional peer dependency.
  const range = (manifest.peerDependencies || {})[name];
  if (range !== undefined) {
    return "install one beside it: npm install " + manifest.name + " " + name + "@" + range.replace(">=", "");
  }
  return "no package brings one for " + process.platform + "-" + process.arch + ": see https://nodejs.org";
}

module.exports = { bundledNode, isEnough, lack, packageName };
