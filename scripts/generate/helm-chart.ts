import { readdir, readFile } from "node:fs/promises";
import { RE2JS } from "re2js";
import { editorSchema, printJson } from "./editor-schema.ts";
import { type HelmValue, readHelmValues } from "./helm-values.ts";
import { code, table } from "./markdown.ts";
import type { Output } from "./output.ts";

const CHART = "deploy/helm/prtg-exporter/";
const BEGIN = "<!-- values:begin -->";
const END = "<!-- values:end -->";
const LICENSE = new URL("../../LICENSE", import.meta.url);

/** Helm packages only files inside the chart. */
export const COPIED_FOLDERS = [
  { from: "deploy/prometheus/", to: `${CHART}files/prometheus/`, pattern: /-rules\.yml$/ },
  { from: "deploy/grafana/dashboards/", to: `${CHART}files/dashboards/`, pattern: /\.json$/ },
] as const;

/** From values.yaml. Copies rules and dashboards. */
export async function chartFiles(root: URL): Promise<Output[]> {
  const values = readHelmValues(await readFile(new URL(`${CHART}values.yaml`, root), "utf8"));
  const readme = await readFile(new URL(`${CHART}README.md`, root), "utf8");
  return [
    { path: `${CHART}values.schema.json`, content: printJson(valuesSchema(values)) },
    { path: `${CHART}README.md`, content: withValues(readme, values) },
    { path: `${CHART}LICENSE`, content: await readFile(LICENSE, "utf8") },
    ...(await copies(root)),
  ];
}

async function copies(root: URL): Promise<Output[]> {
  const outputs: Output[] = [];
  for (const { from, to, pattern } of COPIED_FOLDERS) {
    for (const name of (await readdir(new URL(from, root))).filter((each) => pattern.test(each)).sort()) {
      outputs.push({ path: to + name, content: await readFile(new URL(from + name, root), "utf8") });
    }
  }
  return outputs;
}

/** Rejects unknown keys. */
function valuesSchema(values: readonly HelmValue[]): Record<string, unknown> {
  const { $schema, title: _, ...configuration } = editorSchema();
  const properties = propertiesOf(values);
  return {
    $schema,
    title: "Values of the chart prtg-exporter",
    ...objectSchema(values),
    properties: { ...properties, global: { ...Object(properties.global), additionalProperties: true } },
    definitions: {
      strings: { type: "object", additionalProperties: { type: "string" } },
      objects: { type: "array", items: { type: "object" } },
      references: {
        type: "array",
        items: {
          type: "object",
          properties: { name: { type: "string" } },
          additionalProperties: false,
          required: ["name"],
        },
      },
      // `DURATION_PATTERN` without lookaheads, which Helm lacks.
      duration: { type: "string", minLength: 2, pattern: "^([0-9]+d)?([0-9]+h)?([0-9]+m)?([0-9]+s)?([0-9]+ms)?$" },
      // Prometheus operator format. Empty: drop the field.
      operatorDuration: {
        type: "string",
        pattern: "^(([0-9]+y)?([0-9]+w)?([0-9]+d)?([0-9]+h)?([0-9]+m)?([0-9]+s)?([0-9]+ms)?)$",
      },
      configuration: withoutForeignPatterns(configuration),
    },
  };
}

/** Helm (Go) does not support these. */
function withoutForeignPatterns(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutForeignPatterns);
  if (typeof schema !== "object" || schema === null) return schema;
  const kept = Object.entries(schema).filter(([key, value]) => key !== "pattern" || compiles(value));
  return Object.fromEntries(kept.map(([key, value]) => [key, withoutForeignPatterns(value)]));
}

function compiles(pattern: unknown): boolean {
  if (typeof pattern !== "string") return true;
  try {
    RE2JS.compile(pattern);
    return true;
  } catch {
    return false;
  }
}

function objectSchema(values: readonly HelmValue[]): Record<string, unknown> {
  return { type: "object", additionalProperties: false, properties: propertiesOf(values) };
}

function propertiesOf(values: readonly HelmValue[]): Record<string, unknown> {
  return Object.fromEntries(values.map((value) => [value.key, schemaOf(value)]));
}

function schemaOf({ description, schema, children, preset }: HelmValue): Record<string, unknown> {
  const own = description === "" ? {} : { description };
  // Draft 7 ignores everything next to a reference.
  if (schema !== undefined) return "$ref" in schema ? { ...own, allOf: [schema] } : { ...own, ...schema };
  return { ...own, ...(children.length > 0 ? objectSchema(children) : { type: typeof preset }) };
}

function withValues(readme: string, values: readonly HelmValue[]): string {
  const begin = readme.indexOf(BEGIN);
  const end = readme.indexOf(END, begin);
  if (begin === -1 || end === -1) throw new Error("the chart's README has no place for its values");
  const rows = values.flatMap(rowsOf);
  return `${readme.slice(0, begin + BEGIN.length)}\n${table(["Key", "Default", "Meaning"], rows)}${readme.slice(end)}`;
}

function rowsOf({ path, preset, description, children }: HelmValue): string[][] {
  if (children.length === 0) return [[code(path), code(JSON.stringify(preset)), description]];
  const head = description === "" ? [] : [[code(path), "", description]];
  return [...head, ...children.flatMap(rowsOf)];
}
