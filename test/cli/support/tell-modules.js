// Loaded before the program: when it listens, writes the modules it has loaded until then to standard output, and ends.
import { channel } from "node:diagnostics_channel";
import { writeSync } from "node:fs";
import { registerHooks } from "node:module";

/** @type {string[]} */
const loaded = [];
registerHooks({
  load(url, context, next) {
    loaded.push(url);
    return next(url, context);
  },
});
channel("tracing:net.server.listen:asyncEnd").subscribe(() => {
  writeSync(1, JSON.stringify(loaded));
  process.exit();
});
