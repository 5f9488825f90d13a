// Loaded before the program: ends it when it listens. At the end it writes a line to standard output: which modules the program
// has loaded, and what it has made of Intl (`Intl.Collator`).
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
for (const name of /** @type {const} */ (["Collator", "DateTimeFormat", "NumberFormat"])) {
  Object.assign(Intl, {
    [name]: new Proxy(Intl[name], {
      construct(made, args) {
        loaded.push(`Intl.${name}`);
        return Reflect.construct(made, args);
      },
    }),
  });
}
process.on("exit", () => void writeSync(1, `\n${JSON.stringify(loaded)}`));
channel("tracing:net.server.listen:asyncEnd").subscribe(() => process.exit());
