import type { Plugin } from "rolldown";

/** Of Node.js, for TLS, threads and programs, if at all. */
const BUILTINS = ["child_process", "https", "tls", "worker_threads"];
/** Packages for what only some configurations have: schedules by the calendar, and patterns. Each is a piece of its own. */
const PACKAGES = ["node-cron", "re2js"];
export const LATER_PIECES = PACKAGES.map((name) => ({
  name,
  test: new RegExp(`[\\\\/]node_modules[\\\\/]${name}[\\\\/]`),
}));

const REQUIRED = new RegExp(
  `^(?:let|const) (\\w+) = require\\("((?:node:)?(?:${BUILTINS.join("|")})|\\./(?:${PACKAGES.join("|")})-[^"]*)"\\);$`,
  "gm",
);

/** Loads some modules when they are first used, and requires them once: a second lookup takes longer than most calls. */
export function withLaterModules(code: string): string {
  return code.replaceAll(
    REQUIRED,
    (_line: string, name: string, id: string) =>
      `const ${name} = new Proxy({ module: undefined }, { get: (loaded, member) => (loaded.module ??= require(${JSON.stringify(id)}))[member] });`,
  );
}

export const laterModules: Plugin = {
  name: "later-modules",
  renderChunk: (code) => ({ code: withLaterModules(code), map: null }),
};
