import { join } from "node:path";
import { expect, test } from "vitest";
import { runCommand } from "../support/command-line.ts";
import { parsePage } from "../support/parse-sample.ts";
import { CREDENTIALS, simulateServer } from "../support/simulated-server.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** Includes fallbacks, so that none can hide the fault. */
const ENDPOINTS = {
  health: "/health",
  version: "/version",
  summary: "/sensor-status-summary",
  counts: "/objects/count",
  sensors: "*/sensors",
  devices: "*/devices",
  groups: "*/groups",
  probes: "*/probes",
  channels: "*/channels",
  lookups: "/lookup-definitions",
  series: "/experimental/timeseries/*",
} as const;

const FAULTS = {
  forbidden: "error=403",
  missing: "missing",
  unimplemented: "missing=501",
  refused: "error=400",
  hangs: "hang",
  empty: "empty",
  null: "empty=null",
  nothing: "empty=204",
  bodiless: "empty=body",
  html: "html",
  garbage: "truncate=0.6",
} as const;

const PARTS = {
  "sensors-interval": ["refuses=include:intervalgroup@*/sensors"],
  "devices-interval": ["refuses=include:intervalgroup@*/devices"],
  "groups-summary": ["refuses=include:sensor_status_summary@*/groups", "refuses=sensor_status_summary@*/groups"],
  "channels-alerting": ["refuses=include:alerting@*/channels"],
  "channels-values": ["refuses=include:values@*/channels"],
  "any-include": ["refuses=include"],
  "small-pages": ["refuses=limit:500"],
  "text-values": ["text-values@*/channels"],
  "short-rows": ["short-rows@/experimental/timeseries/*"],
  "text-types": ["content-type=text/plain"],
  "wrong-total": ["wrong-total=3"],
} as const;

interface Outcome {
  /** `prtg_up` is 1, and the page has statuses and values. */
  readonly works: boolean;
  /** Every collector works, including optional ones. */
  readonly complete: boolean;
}

test("check finds the same faults as serve at each endpoint", async () => {
  const cases: readonly (readonly [name: string, faults: readonly string[]])[] = [
    ...Object.entries(ENDPOINTS).flatMap(([endpoint, glob]) =>
      Object.entries(FAULTS).map(([fault, text]) => [`${endpoint}-${fault}`, [`${text}@${glob}`]] as const),
    ),
    ...Object.entries(PARTS),
  ];
  const servers = await Promise.all(
    cases.map(async ([name, faults]) => {
      const { url } = await simulateServer({ faults });
      return `  - { name: ${name}, url: "${url}", auth: { api_key_file: key.txt }, limits: { timeout: 10s } }\n`;
    }),
  );
  const folder = temporaryFolder({ "key.txt": CREDENTIALS.apiKey, "prtg.yaml": `servers:\n${servers.join("")}` });
  const run = (...args: string[]) => runCommand([...args, "--config.file", join(folder, "prtg.yaml")]);
  const served = readServed((await run("serve", "--once")).stdout);
  const { stdout } = await run("check");
  const checked = readChecked(stdout);
  const verdicts = cases.map(([name]) => {
    const { works } = served.get(name) ?? { works: undefined };
    return `${name}: ${works ? "works" : "fails"}`;
  });
  expect(cases.map(([name]) => `${name}: ${checked.get(name)?.has("FAILED") ? "fails" : "works"}`)).toEqual(verdicts);
  // `check` must report what serve lacks.
  const silent = cases.filter(([name]) => {
    const found = checked.get(name);
    return served.get(name)?.complete === false && !found?.has("FAILED") && !found?.has("warning");
  });
  expect(silent).toEqual([]);
  // Both verdicts must occur.
  const failing = verdicts.filter((verdict) => verdict.endsWith("fails")).length;
  expect(failing).toBeGreaterThan(40);
  expect(verdicts.length - failing).toBeGreaterThan(40);
}, 300_000);

function readServed(page: string): ReadonlyMap<string, Outcome> {
  const samples = [...parsePage(page).values()];
  const serversWith = (family: string, value?: string): ReadonlySet<string | undefined> =>
    new Set(
      samples
        .filter((sample) => sample.name === family && (value === undefined || sample.value === value))
        .map(({ labels }) => labels.server),
    );
  const up = serversWith("prtg_up", "1");
  const statuses = serversWith("prtg_sensor_status_code");
  const values = serversWith("prtg_channel_value");
  const failed = serversWith("prtg_exporter_collector_success", "0");
  return new Map(
    [...serversWith("prtg_up")].map((server = "") => [
      server,
      { works: up.has(server) && statuses.has(server) && values.has(server), complete: !failed.has(server) },
    ]),
  );
}

function readChecked(table: string): ReadonlyMap<string, ReadonlySet<string>> {
  const verdicts = new Map<string, Set<string>>();
  for (const line of table.split("\n")) {
    const [server = "", , verdict = ""] = line.split(/ {2,}/);
    verdicts.set(server, (verdicts.get(server) ?? new Set()).add(verdict));
  }
  return verdicts;
}
