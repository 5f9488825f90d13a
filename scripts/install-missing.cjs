"use strict";
// node scripts/install-missing.cjs [--dev | --in FOLDER]: before a script of npm, on whatever Node.js the machine has, so that
// `npm run demo` and `npm test` are each all that a fresh clone needs. FOLDER has an install of its own.
// Runs since Node.js 12: no newer syntax.
const { spawnSync } = require("child_process");
const { existsSync, readFileSync } = require("fs");

const dev = process.argv.includes("--dev");
const inFolder = process.argv.indexOf("--in");
const folder = inFolder < 0 ? "." : process.argv[inFolder + 1];

/**
 * @typedef {{ version?: string, dev?: boolean, optional?: boolean, devOptional?: boolean }} Package
 * @param {string} file a lock file
 * @returns {Map<string, Package> | undefined} by place; undefined when there is no such file
 */
function packagesOf(file) {
  if (!existsSync(file)) return undefined;
  return new Map(Object.entries(JSON.parse(readFileSync(file, "utf8")).packages));
}

/**
 * What the lock file asks for and is not there. Optional packages may be left out, by a platform or on purpose.
 * @param {Map<string, Package>} wanted
 * @param {Map<string, Package>} installed
 */
function missing(wanted, installed) {
  return Array.from(wanted).filter(([place, asked]) => {
    if (place === "" || asked.optional || ((asked.dev || asked.devOptional) && !dev)) return false;
    const there = installed.get(place);
    return there === undefined || there.version !== asked.version;
  });
}

/** @param {readonly string[]} args of npm, the one that runs this script where it is npm that does */
function npm(args) {
  const running = process.env.npm_execpath;
  if (running !== undefined && /npm-cli\.js$/.test(running)) {
    return spawnSync(process.execPath, [running].concat(args), { cwd: folder, stdio: "inherit" });
  }
  return spawnSync("npm", args, { cwd: folder, stdio: "inherit", shell: process.platform === "win32" });
}

function installMissing() {
  // npm writes this file last: what was interrupted is installed again.
  const installed = packagesOf(folder + "/node_modules/.package-lock.json");
  const lacking = missing(packagesOf(folder + "/package-lock.json") || new Map(), installed || new Map());
  if (installed !== undefined && lacking.length === 0) return 0;
  let what = dev ? "to develop and test (150 MB to download in all)" : "to run (70 MB to download in all)";
  if (inFolder >= 0) what = "in " + folder;
  process.stderr.write("Installing what is missing " + what + ", once: about a minute\n");
  const started = Date.now();
  // What is there already stays: something may be running on it. The lock file decides in both cases, and stays as it is.
  const how = installed === undefined ? ["ci"] : ["install", "--no-save"];
  const kind = dev ? "--include=dev" : "--omit=dev";
  const result = npm(how.concat(kind, "--no-audit", "--no-fund"));
  if (result.error) process.stderr.write("npm cannot be run: " + result.error.message + "\n");
  if (result.status !== 0) return result.status || 1;
  process.stderr.write("Installed in " + Math.ceil((Date.now() - started) / 1000) + " s\n");
  return 0;
}

process.exitCode = installMissing();
