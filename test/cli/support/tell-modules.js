// Loaded before the program: when it listens, writes to standard output which modules it has loaded until then, and what it
// has made of Intl (`Intl.Collator`), and ends.
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
channel("tracing:net.server.listen:asyncEnd").subscribe(() => {
  writeSync(1, JSON.stringify(loaded));
  process.exit();
});
