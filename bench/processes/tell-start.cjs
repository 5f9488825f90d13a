// Required before the program: writes to standard output what processor time the process has taken (milliseconds), when it listens, or when it ends.
// Plain and small, since it counts itself.
const { channel } = require("node:diagnostics_channel");
const { writeSync } = require("node:fs");

function tell() {
  const { user, system } = process.cpuUsage();
  writeSync(1, `processor time ${(user + system) / 1_000}\n`);
}

channel("tracing:net.server.listen:asyncEnd").subscribe(tell);
process.once("exit", tell);
