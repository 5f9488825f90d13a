import { readFile } from "node:fs/promises";
import type { Command } from "commander";
import manifest from "../../package.json" with { type: "json" };
import { BACKFILL_FILE } from "../../src/backfill/output-folder.ts";
import { createProgram } from "../../src/cli/program.ts";
import { DEPRECATED_NAMES, type DeprecatedName } from "../../src/config/deprecated-names.ts";
import type { JsonSchema } from "../../src/config/schema.ts";
import { ERROR_CATALOGUE } from "../../src/errors/catalogue.ts";
import { PRTG_ATTRIBUTES } from "../../src/events/event.ts";
import { JOURNAL_FILE } from "../../src/events/event-memory.ts";
import { EVENT_NAMES } from "../../src/events/event-names.ts";
import { MCP_PATH } from "../../src/http/mcp/route.ts";
import { createRoutes } from "../../src/http/pages/routes.ts";
import { SCRIPT, STYLE } from "../../src/http/pages/status/respond.ts";
import { TREE_FAMILIES } from "../../src/mapping/metric-table.ts";
import { WATERMARK_FILE } from "../../src/measurements/watermarks.ts";
import { EXPORTER_FAMILIES, type MetricDeclaration } from "../../src/telemetry/metric-declarations.ts";
import { mapBelow, propertiesOf, typeOf } from "../generate/configuration-values.ts";
import { type HelmValue, readHelmValues } from "../generate/helm-values.ts";
import { EXPERIMENTAL_FAMILIES } from "../generate/metrics-page.ts";
import { settingsJsonSchema } from "../generate/settings-schema.ts";

/** What a release promises about one name. Equal entries mean an unchanged promise. */
export interface Promised {
  readonly stability: "STABLE" | "EXPERIMENTAL";
  readonly [fact: string]: unknown;
}

/** Everything that users can refer to, by section and name. `api/contract.json` is generated from it. */
export interface Contract {
  readonly version: string;
  readonly metrics: Section;
  readonly configuration: Section;
  readonly commands: Section;
  readonly endpoints: Section;
  readonly errors: Section;
  readonly events: Section;
  readonly chart: Section;
  readonly state: Section;
}
export type Section = Readonly<Record<string, Promised>>;

const VALUES = new URL("../../deploy/helm/prtg-exporter/values.yaml", import.meta.url);

/** @throws RangeError if the table names something that does not exist */
export async function currentContract(names: readonly DeprecatedName[] = DEPRECATED_NAMES): Promise<Contract> {
  const contract = {
    version: manifest.version,
    metrics: metrics(),
    configuration: Object.fromEntries(keysBelow(settingsJsonSchema(), "")),
    commands: commands(),
    endpoints: endpoints(),
    errors: stable(Object.keys(ERROR_CATALOGUE).map((code) => [code, {}])),
    events: events(),
    chart: chart(await readFile(VALUES, "utf8")),
    state: stable([WATERMARK_FILE, JOURNAL_FILE, BACKFILL_FILE].map(({ name, version }) => [name, { version }])),
  };
  return names.reduce(markDeprecated, contract);
}

const SECTIONS = { key: "configuration", flag: "commands", metric: "metrics" } as const;

function markDeprecated(contract: Contract, { kind, name, since, use }: DeprecatedName): Contract {
  const section = SECTIONS[kind];
  const promised = contract[section][name];
  if (promised === undefined) throw new RangeError(`the deprecated ${kind} ${name} does not exist`);
  return { ...contract, [section]: { ...contract[section], [name]: { ...promised, deprecated: `${since}: ${use}` } } };
}

function stable(entries: readonly (readonly [name: string, facts: object])[]): Section {
  return Object.fromEntries(entries.map(([name, facts]) => [name, { stability: "STABLE", ...facts }]));
}

/** The texts of HELP may improve, so only their presence is promised. */
function metrics(): Section {
  const families: readonly Pick<MetricDeclaration, "name" | "type" | "labels" | "detailLabels" | "buckets">[] = [
    ...Object.values(TREE_FAMILIES),
    ...EXPORTER_FAMILIES,
  ];
  return Object.fromEntries(
    families.map(({ name, type, labels, detailLabels, buckets }) => [
      name,
      {
        stability: EXPERIMENTAL_FAMILIES.has(name) ? "EXPERIMENTAL" : "STABLE",
        type,
        labels: labels.filter((label) => detailLabels?.includes(label) !== true),
        ...(detailLabels && { detail_labels: [...detailLabels] }),
        ...(buckets && { buckets: [...buckets] }),
      },
    ]),
  );
}

/** A description that begins with `Experimental` marks a key and all keys below it. */
function keysBelow(schema: JsonSchema, path: string, above: Promised["stability"] = "STABLE"): [string, Promised][] {
  const required = new Set(schema.required ?? []);
  return Object.entries(propertiesOf(schema)).flatMap(([key, value]) => {
    const name = `${path}${key}${value.type === "array" ? "[]" : ""}`;
    const stability = value.description?.startsWith("Experimental") === true ? "EXPERIMENTAL" : above;
    const below = mapBelow(value);
    if (below !== undefined) return keysBelow(below, `${name}.`, stability);
    const preset = required.has(key) ? { required: true } : { default: value.default ?? null };
    return [[name, { stability, type: typeOf(value), ...preset }]];
  });
}

function commands(): Section {
  const program = createProgram();
  return stable(program.commands.flatMap((command) => [[command.name(), {}] as const, ...flagsOf(command)]));
}

function flagsOf(command: Command): (readonly [string, object])[] {
  return command.options.map(({ long, flags, mandatory, argChoices, defaultValue }) => [
    `${command.name()} ${long}`,
    {
      flags,
      ...(mandatory && { required: true }),
      ...(argChoices && { choices: [...argChoices] }),
      default: typeof defaultValue === "object" ? JSON.stringify(defaultValue) : (defaultValue ?? null),
    },
  ]);
}

function endpoints(): Section {
  const never = () => Promise.reject(new Error("only the paths are needed"));
  const routes = createRoutes({
    telemetryPath: "/metrics",
    exposition: { streamedPage: never },
    served: () => undefined,
    isReady: () => true,
    status: {
      status: never,
      node: never,
      search: never,
      changes: never,
      age: () => ({ as_of: null, age_seconds: null }),
      course: () => [],
      chart: never,
    },
    debug: { explain: never, cardinality: never, runs: never },
    discovery: never,
    mcp: {
      isEnabled: () => true,
      externalUrl: () => undefined,
      version: "",
      called: () => undefined,
      failed: () => undefined,
    },
  });
  const paths = [...routes.keys()].filter((path) => path !== STYLE.path && path !== SCRIPT.path);
  return Object.fromEntries(
    [...paths, "/-/reload"].map((path) => {
      const isExperimental = path.startsWith("/debug/") || path === MCP_PATH;
      return [path, { stability: isExperimental ? "EXPERIMENTAL" : "STABLE" }];
    }),
  );
}

function events(): Section {
  return stable([...EVENT_NAMES, ...Object.values(PRTG_ATTRIBUTES)].map((name) => [name, {}]));
}

function chart(text: string): Section {
  const leaves = (values: readonly HelmValue[]): [string, object][] =>
    values.flatMap(({ path, preset, children }) => {
      return children.length > 0 ? leaves(children) : [[path, { default: preset ?? null }] as [string, object]];
    });
  return stable(leaves(readHelmValues(text)));
}
