import type { Plugin } from "rolldown";

/** For TLS, threads and programs, which many configurations never use. */
const BUILTINS = ["child_process", "https", "tls", "worker_threads"];
/** For some configurations (calendar schedules, patterns). One chunk each. */
const PACKAGES = ["node-cron", "re2js"];
export const LATER_PIECES = PACKAGES.map((name) => ({
  name,
  test: new RegExp(`[\\\\/]node_modules[\\\\/]${name}[\\\\/]`),
}));

const REQUIRED = new RegExp(
  `^(?:let|const) (\\w+) = require\\("((?:node:)?(?:${BUILTINS.join("|")})|\\./(?:${PACKAGES.join("|")})-[^"]*)"\\);$`,
  "gm",
);

/** Loads at first use. Keeps the result, because a second lookup is slow. */
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
