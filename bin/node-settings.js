"use strict";
// How Node.js runs the exporter. The image, the packages and the launcher set the same; a test compares them.

/**
 * Before the flags of the user's NODE_OPTIONS, which win.
 * --max-semi-space-size: Node.js lets the space for young objects grow to 128 MB, which takes 327 instead of 216 MB at 60,000
 * channels. With 4 instead of 8, 10,000 channels take 165 to 197 instead of 219 MB after 60 polls, at the same CPU time.
 * --disable-sigusr1: without it SIGUSR1 opens the debugger, and with it code and keys, to every user of the machine.
 */
const OPTIONS = ["--max-semi-space-size=4", "--disable-sigusr1"];

/**
 * Node.js refuses it in NODE_OPTIONS. Otherwise the heap may grow to three times of what is live after a busy start: 500 servers
 * took 600 to 840 MB, and took 540 MB with it.
 */
const COMMAND_LINE = ["--heap-growing-percent=50"];

/** All of them, for a command line. */
const FLAGS = OPTIONS.concat(COMMAND_LINE);

/**
 * Unless the user sets them. MALLOC_*: glibc keeps what threads freed, and maps memory anew for each block of a page.
 * UV_THREADPOOL_SIZE: a DNS server that does not answer holds a thread for 10 s for each name.
 */
const VARIABLES = {
  MALLOC_ARENA_MAX: "2",
  MALLOC_MMAP_THRESHOLD_: "131072",
  MALLOC_TRIM_THRESHOLD_: "1048576",
  UV_THREADPOOL_SIZE: "64",
};

/**
 * The environment of the exporter's process.
 * @param {NodeJS.ProcessEnv} given
 * @returns {NodeJS.ProcessEnv}
 */
function withSettings(given) {
  const options = OPTIONS.concat(given.NODE_OPTIONS || []).join(" ");
  return Object.assign({}, VARIABLES, given, { NODE_OPTIONS: options });
}

/**
 * Whether a launcher has set them already.
 * @param {NodeJS.ProcessEnv} given
 */
function hasSettings(given) {
  return OPTIONS.every((flag) => (given.NODE_OPTIONS || "").indexOf(flag) >= 0);
}

module.exports = { COMMAND_LINE, FLAGS, OPTIONS, VARIABLES, hasSettings, withSettings };
