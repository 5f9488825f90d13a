import type { Plugin } from "rolldown";

/** They are for TLS, threads and programs, if at all. */
const LATER = ["child_process", "https", "tls", "worker_threads"];
const REQUIRED = new RegExp(`^let (\\w+) = require\\("(?:node:)?(${LATER.join("|")})"\\);$`, "gm");

/**
 * Has a piece of the bundle load some modules of Node.js when something of them is first used. The sources import them as
 * any other, which loads them at once.
 */
export function withLaterBuiltins(code: string): string {
  return code.replaceAll(
    REQUIRED,
    (_line: string, name: string, id: string) =>
      `const ${name} = new Proxy({}, { get: (_, member) => process.getBuiltinModule("node:${id}")[member] });`,
  );
}

export const laterBuiltins: Plugin = {
  name: "later-builtins",
  renderChunk: (code) => ({ code: withLaterBuiltins(code), map: null }),
};
