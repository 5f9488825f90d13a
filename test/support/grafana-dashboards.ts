import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { z } from "zod";

export const DASHBOARDS = fileURLToPath(new URL("../../deploy/grafana/dashboards/", import.meta.url));

const dataSource = z.object({ type: z.string(), uid: z.string() });
const property = z.object({ id: z.string(), value: z.unknown() });
const column = z.object({ matcher: z.object({ id: z.string(), options: z.unknown() }), properties: z.array(property) });

const target = z.object({
  refId: z.string(),
  datasource: dataSource,
  expr: z.string(),
  instant: z.boolean().default(false),
  range: z.boolean().default(false),
  format: z.string().optional(),
  legendFormat: z.string().optional(),
});

const panel = z.object({
  id: z.number(),
  type: z.string(),
  title: z.string(),
  description: z.string().optional(),
  datasource: dataSource.optional(),
  gridPos: z.object({ x: z.number(), y: z.number(), w: z.number(), h: z.number() }),
  targets: z.array(target).default([]),
  repeat: z.string().optional(),
  options: z.record(z.string(), z.unknown()).default({}),
  panels: z.array(z.unknown()).optional(),
  transformations: z.array(z.object({ id: z.string(), options: z.record(z.string(), z.unknown()) })).default([]),
  fieldConfig: z
    .object({
      defaults: z.looseObject({ unit: z.string().optional(), noValue: z.string().optional() }),
      overrides: z.array(column),
    })
    .optional(),
});

const variable = z.object({
  name: z.string(),
  type: z.string(),
  label: z.string(),
  description: z.string(),
  query: z.union([z.string(), z.object({ query: z.string() })]).optional(),
  datasource: dataSource.optional(),
  multi: z.boolean().default(false),
  includeAll: z.boolean().default(false),
  allValue: z.string().optional(),
  regex: z.string().default(""),
});

const annotation = z.object({
  name: z.string(),
  datasource: dataSource,
  enable: z.boolean(),
  expr: z.string(),
  useValueForTime: z.boolean().default(false),
  titleFormat: z.string(),
  textFormat: z.string().default(""),
  tagKeys: z.string(),
});

const dashboard = z.looseObject({
  uid: z.string(),
  title: z.string(),
  description: z.string(),
  tags: z.array(z.string()),
  timezone: z.string(),
  schemaVersion: z.number(),
  time: z.object({ from: z.string(), to: z.string() }),
  annotations: z.object({ list: z.array(annotation) }),
  templating: z.object({ list: z.array(variable) }),
  panels: z.array(panel),
});

export type GrafanaTarget = z.infer<typeof target>;
export type GrafanaPanel = z.infer<typeof panel>;
type GrafanaAnnotation = z.infer<typeof annotation>;
type GrafanaVariable = z.infer<typeof variable>;

export interface GrafanaDashboard extends z.infer<typeof dashboard> {
  readonly file: string;
  readonly text: string;
}

export const GRAFANA_DASHBOARDS: readonly GrafanaDashboard[] = readdirSync(DASHBOARDS).map((file) => {
  const text = readFileSync(DASHBOARDS + file, "utf8");
  return { ...dashboard.parse(JSON.parse(text)), file, text };
});

/** Visible panels without row headings. */
export function shownPanels({ panels }: GrafanaDashboard): GrafanaPanel[] {
  return panels.filter(({ type }) => type !== "row");
}

/** Panels of collapsed rows, which query nothing until opened. */
export function closedPanels({ panels }: GrafanaDashboard): GrafanaPanel[] {
  return panels.flatMap((row) => panel.array().parse(row.panels ?? []));
}

export function annotationsFrom(type: "prometheus" | "loki", { annotations }: GrafanaDashboard): GrafanaAnnotation[] {
  return annotations.list.filter(({ datasource }) => datasource.type === type);
}

const tableTransformations = z.tuple([
  z.object({ id: z.literal("merge") }),
  z.object({
    id: z.literal("filterFieldsByName"),
    options: z.object({ include: z.object({ names: z.array(z.string()) }) }),
  }),
  z.object({ id: z.literal("organize"), options: z.object({ renameByName: z.record(z.string(), z.string()) }) }),
]);

export function tableColumns({ transformations }: GrafanaPanel): { names: string[]; titles: Record<string, string> } {
  const [, filter, organize] = tableTransformations.parse(transformations);
  return { names: filter.options.include.names, titles: organize.options.renameByName };
}

/** Parses `label_values(metric{...}, label)`. */
export function labelValues({ query }: GrafanaVariable): { selector: string; label: string } | undefined {
  const text = typeof query === "string" ? query : query?.query;
  const [, selector, label] = /^label_values\((.+), (\w+)\)$/s.exec(text ?? "") ?? [];
  return selector === undefined || label === undefined ? undefined : { selector, label };
}

/** Value of the option that Grafana makes of a label value. `undefined`: it makes none. */
export function optionOf({ regex }: Pick<GrafanaVariable, "regex">, text: string): string | undefined {
  if (regex === "") return text;
  // As in Grafana, which knows only these flags.
  const [, pattern = "", flags = ""] = /^\/(.*?)\/(g?i?m?y?)$/.exec(regex) ?? [];
  return new RegExp(pattern, flags).exec(text)?.groups?.value;
}

/** Selected, typed or built-in value. */
export type Chosen = "all" | string | readonly string[];

const REFERENCE = /\$\{(\w+)(?::(\w+))?\}|\$([A-Za-z_]\w*)/g;

/** Without Grafana's own. */
export function variablesIn(text: string): string[] {
  return [...text.matchAll(REFERENCE)]
    .map(([, braced, , bare]) => braced ?? bare ?? "")
    .filter((name) => !name.startsWith("__"));
}

/** Like Grafana's Prometheus data source. */
export function interpolate(
  expr: string,
  variables: readonly GrafanaVariable[],
  chosen: ReadonlyMap<string, Chosen>,
): string {
  return expr.replace(REFERENCE, (whole, braced: string | undefined, format: string | undefined, bare: string) => {
    const name = braced ?? bare;
    const value = chosen.get(name);
    if (value === undefined) throw new Error(`nothing is chosen for ${whole} in ${expr}`);
    const variable = variables.find((candidate) => candidate.name === name);
    if (value === "all") return variable?.allValue ?? "";
    const names = typeof value === "string" ? [value] : value;
    const values = names.flatMap((text) => (variable === undefined ? text : (optionOf(variable, text) ?? [])));
    if (format === "raw" || variable === undefined) return values.join(",");
    if (format === "regex") return alternatives(values.map((text) => text.replace(/[\\^$*+?.()|[\]{}/]/g, "\\$&")));
    if (!variable.multi && !variable.includeAll) return values.join(",").replace(/\\/g, "\\\\");
    // Inside a PromQL string, hence doubled backslashes.
    return alternatives(values.map((text) => text.replace(/\\/g, "\\\\\\\\").replace(/[$^*{}[\]'+?.()|]/g, "\\\\$&")));
  });
}

function alternatives(values: readonly string[]): string {
  const [only = ""] = values;
  return values.length === 1 ? only : `(${values.join("|")})`;
}
