import { createHash } from "node:crypto";
import type { Config } from "../config/load.ts";
import { parseDuration } from "../config/quantities.ts";
import { ExporterError } from "../errors/exporter-error.ts";
import type { MetricFamily } from "../mapping/families/family.ts";
import { parseTimestamp } from "../prtg/decode/values.ts";
import { SERIES_TYPES, type SeriesType } from "../prtg/series-types.ts";

export const RESOLUTIONS = ["auto", ...SERIES_TYPES] as const;
export type ResolutionChoice = (typeof RESOLUTIONS)[number];

/** Fingerprints of the settings that change series. `mapping`: of all rules. */
export interface SeriesSettings {
  readonly labels: string;
  readonly mapping: string;
}

/** Flags as the user wrote them. A run continues another one with the same parameters. */
export interface BackfillParameters {
  readonly server: string;
  readonly from: string;
  readonly to: string;
  readonly resolution: ResolutionChoice;
  readonly labels: readonly string[];
  readonly paths: readonly string[];
  readonly kinds: readonly string[];
  readonly tags: readonly string[];
  readonly configured: SeriesSettings;
}

export function seriesTypesOf(resolution: ResolutionChoice): readonly SeriesType[] {
  return resolution === "auto" ? SERIES_TYPES : [resolution];
}

/** Empty if equal. */
export function parameterDifferences(before: BackfillParameters, now: BackfillParameters): readonly string[] {
  const current = spelledOut(now);
  const flags = spelledOut(before).flatMap(([flag, was], index) => {
    const is = current[index]?.[1] ?? "";
    return was === is ? [] : [`${flag} was ${was || "not given"} and is ${is || "not given"}`];
  });
  const sections = (["labels", "mapping"] as const).filter((key) => before.configured[key] !== now.configured[key]);
  return [...flags, ...sections.map((section) => `the section ${section} of the configuration has changed`)];
}

function spelledOut(parameters: BackfillParameters): readonly (readonly [flag: string, value: string])[] {
  const { server, from, to, resolution, labels, paths, kinds, tags } = parameters;
  return [
    ["--server", server],
    ["--from", from],
    ["--to", to],
    ["--resolution", resolution],
    ["--label", unordered(labels)],
    ["--path", unordered(paths)],
    ["--kind", unordered(kinds)],
    ["--tag", unordered(tags)],
  ];
}

/** The order of repeated flags does not matter. */
function unordered(values: readonly string[]): string {
  return [...new Set(values)].sort().join(", ");
}

export function seriesSettings({ labels, mapping, ruleFiles }: Pick<Config, "labels" | "mapping" | "ruleFiles">) {
  const { keep, rename, fromTags } = labels;
  const rules = ruleFiles.flatMap((file) => file.rules);
  const { keepOriginal, byteUnits } = mapping;
  return {
    labels: fingerprint({ keep: keep && [...keep].sort(), rename: [...rename].sort(), fromTags }),
    // Without rules the other settings have no effect.
    mapping: fingerprint(rules.length === 0 ? [] : { rules, keepOriginal, byteUnits }),
  };
}

function fingerprint(settings: unknown): string {
  return createHash("sha256").update(JSON.stringify(settings)).digest("hex").slice(0, 16);
}

export interface BackfillProgress {
  /** @param done Of an earlier run. */
  begin(what: "sensors" | "days" | "values", total: number, done: number): void;
  /** @param done A fraction for requests of sensors that are not finished. */
  advance(done: number): void;
  /** Ends the display. */
  end(): void;
}

/** Each list that is not empty must match. */
export interface Selection {
  readonly paths: readonly string[];
  /** As in the label `kind` of `prtg_sensor_info`. */
  readonly kinds: readonly string[];
  readonly tags: readonly string[];
}

const SECOND_MS = 1000;

export type TimeFlag =
  | { readonly text: string; readonly kind: "fixed"; readonly at: number }
  | { readonly text: string; readonly kind: "ago"; readonly ms: number };

/** `2026-03-01T00:00:00Z`, or `30d` for 30 days ago. Throws a RangeError otherwise. */
export function parseTimeFlag(text: string): TimeFlag {
  const ms = parseDuration(text);
  if (ms !== undefined) return { text, kind: "ago", ms };
  const at = isCalendarDay(text) ? parseTimestamp(text) : undefined;
  if (at !== undefined) return { text, kind: "fixed", at };
  throw new RangeError("Give a time such as 2026-03-01T00:00:00Z, or an age such as 30d or 12h.");
}

/** Milliseconds since the epoch, in whole seconds as in file names. */
export function resolveTimeFlag(time: TimeFlag, now: number): number {
  const at = time.kind === "fixed" ? time.at : now - time.ms;
  return Math.floor(at / SECOND_MS) * SECOND_MS;
}

/** `Date.parse` accepts February 31. */
function isCalendarDay(text: string): boolean {
  const [year = 0, month = 0, day = 0] = text.slice(0, 10).split("-").map(Number);
  return new Date(Date.UTC(year, month - 1, day)).getUTCDate() === day;
}

/** A label that is added to every series. */
export interface ExtraLabel {
  readonly name: string;
  readonly value: string;
}

/** `job=prtg`. Throws a RangeError with the reason. */
export function parseExtraLabel(text: string): ExtraLabel {
  const [, name = "", value = ""] = /^([^=]*)=(.*)$/s.exec(text) ?? [];
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name) || name.startsWith("__")) {
    throw new RangeError("Give a name and a value such as job=prtg. Names have only letters, digits and _.");
  }
  if (value === "") throw new RangeError(`Give ${name} a value: Prometheus drops labels without one.`);
  return { name, value };
}

/** Throws a RangeError for a duplicate name. */
export function addExtraLabel(labels: readonly ExtraLabel[], added: ExtraLabel): readonly ExtraLabel[] {
  if (labels.some(({ name }) => name === added.name)) throw new RangeError(`The label ${added.name} is given twice.`);
  return [...labels, added].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/**
 * Refuses names of the metric table, the label settings and rules.
 * @throws ExporterError BACKFILL_LABEL_TAKEN
 */
export function refuseTakenNames(labels: readonly ExtraLabel[], families: readonly MetricFamily[]): void {
  for (const { name } of labels) {
    const family = families.find((each) => each.labels.includes(name));
    if (family === undefined) continue;
    throw new ExporterError(
      "BACKFILL_LABEL_TAKEN",
      `--label ${name}: ${family.name} already has a label with that name`,
    );
  }
}
