import type { Plugin } from "rolldown";

/** Fails on use. */
const NOTHING = `class UnusedPart {
  constructor() {
    throw new Error("this part of a dependency is not in the bundle: see scripts/build/unused-parts.ts");
  }
}
`;

/** By path below `node_modules`. Saves start time and memory. */
export const REPLACED_PARTS: Readonly<Record<string, string>> = {
  // Not: the validator for questions to the user, which contains Ajv.
  "@modelcontextprotocol/server/dist/shimsNode.mjs": `${NOTHING}export { UnusedPart as DefaultJsonSchemaValidator };
    export { default as process } from "node:process";`,
  // We log through our own stream.
  "pino/lib/transport.js": `${NOTHING}module.exports = UnusedPart;`,
  "sonic-boom/index.js": `${NOTHING}module.exports = UnusedPart;`,
  // Not: Summary, Pushgateway, AggregatorRegistry.
  "prom-client/index.js": `
    exports.Registry = require("./lib/registry");
    exports.Counter = require("./lib/counter");
    exports.Gauge = require("./lib/gauge");
    exports.Histogram = require("./lib/histogram");
    exports.collectDefaultMetrics = require("./lib/defaultMetrics");`,
  // Not: pools, agents, fetch, WebSocket, EventSource, caches, mocks, proxies, interceptors.
  "undici/index.js": `
    exports.Dispatcher = require("./lib/dispatcher/dispatcher");
    exports.Client = require("./lib/dispatcher/client");
    exports.buildConnector = require("./lib/core/connect");
    Object.assign(exports.Dispatcher.prototype, require("./lib/api"));`,
};

export const UNUSED_IMPORTS: readonly string[] = [
  // Exemplars.
  "@opentelemetry/api of prom-client/lib/metrics/processCpuTotal.js",
  // Separate programs, and tasks in another process.
  "node:child_process of commander/lib/command.js",
  "child_process of node-cron/dist/node-cron.js",
  // For sonic-boom, which the bundle lacks.
  "worker_threads of pino/lib/tools.js",
];

const EMPTY = "\0unused-part";

/** The build fails if a part no longer exists. */
export function withoutUnusedParts(): Plugin {
  const missing = new Set([...Object.keys(REPLACED_PARTS), ...UNUSED_IMPORTS]);
  return {
    name: "without-unused-parts",
    resolveId: {
      order: "pre",
      handler(source, importer) {
        const name = `${source} of ${partOf(importer ?? "")}`;
        if (!UNUSED_IMPORTS.includes(name)) return null;
        missing.delete(name);
        return EMPTY;
      },
    },
    load(id) {
      if (id === EMPTY) return `${NOTHING}export { UnusedPart as default, UnusedPart as fork };`;
      const part = partOf(id);
      missing.delete(part);
      return REPLACED_PARTS[part] ?? null;
    },
    buildEnd() {
      if (missing.size > 0) throw new Error(`the build does not meet ${[...missing].join(", ")}`);
    },
  };
}

/** Path below `node_modules`. */
function partOf(id: string): string {
  return id.replaceAll("\\", "/").split("/node_modules/").at(-1) ?? "";
}
