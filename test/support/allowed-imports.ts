/** What the files of a folder may import besides their own folder: folders and single files, or everything but some folders. */
export type Allowed = readonly string[] | { readonly but: readonly string[] };

const BASE = ["errors", "lib"];
const SETTINGS_OF_MAPPING = ["label-settings", "metric-table", "units/base-units"].map((name) => `mapping/${name}.ts`);

/** Folders of src/. The column "may import" of docs/architecture.md shows the same without BASE. */
export const EXPORTER: Readonly<Record<string, Allowed>> = {
  errors: [],
  lib: ["errors"],
  "lib/http": BASE,
  delivery: BASE,
  state: BASE,
  telemetry: [...BASE, "prtg/decode-problems.ts", "events/event-names.ts", "collectors/collector.ts"],
  config: [...BASE, "lib/http", "telemetry", "sync/matchers.ts", ...SETTINGS_OF_MAPPING],
  prtg: [...BASE, "lib/http", "telemetry"],
  model: [...BASE, "prtg"],
  selection: [...BASE, "prtg", "model", "config"],
  mapping: [...BASE, "model", "prtg", "telemetry"],
  store: [...BASE, "mapping"],
  projection: [...BASE, "model", "mapping", "store", "prtg"],
  measurements: [...BASE, "prtg", "telemetry", "delivery", "state"],
  events: [...BASE, "model", "prtg", "telemetry", "delivery", "state"],
  otlp: [
    ...BASE,
    "events",
    "measurements",
    "store",
    "mapping",
    "telemetry",
    "config",
    "delivery",
    "lib/http",
    "prtg/status.ts",
  ],
  collectors: [
    ...[...BASE, "prtg", "model", "selection", "projection", "mapping", "store", "telemetry"],
    ...["measurements", "config"],
  ],
  exposition: [...BASE, "store", "mapping", "telemetry"],
  backfill: [...BASE, "prtg", "model", "mapping", "exposition", "measurements", "config", "delivery", "state"],
  sync: [...BASE, "lib/http", "config", "prtg", "model", "state", "events", "telemetry"],
  http: [...BASE, "exposition", "telemetry", "config", "prtg/status.ts"],
  leadership: [...BASE, "lib/http"],
  app: { but: ["cli", "simulator"] },
  cli: { but: [] },
};

/** Folders of packages/simulator/src/, in the order of docs/architecture.md: each may import those before it. */
export const SIMULATOR = [
  ...["release", "world", "auth", "installation", "records", "filter", "api", "faults", "server", "scenario"],
  ...["control", "command"],
];

/** A folder of a folder has its own row if it is named here. Files beside the folders of the simulator may import them all. */
export const ALLOWED: Readonly<Record<string, Allowed>> = {
  ...EXPORTER,
  simulator: SIMULATOR.map((name) => `simulator/${name}`),
  ...Object.fromEntries(
    SIMULATOR.map((name, at) => [
      `simulator/${name}`,
      ["simulator", ...SIMULATOR.slice(0, at).map((before) => `simulator/${before}`)],
    ]),
  ),
};
