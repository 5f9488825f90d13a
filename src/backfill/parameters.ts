import { createHash } from "node:crypto";
import type { Logger } from "pino";
import type { Config } from "../config/load.ts";
import type { Clock } from "../lib/clock.ts";
import type { ChannelMapper } from "../mapping/channel-mapper.ts";
import type { MonitoringApi } from "../prtg/monitoring-api.ts";
import { SERIES_TYPES, type SeriesType } from "../prtg/series-types.ts";
import type { ExtraLabel, TimeFlag } from "./flag-values.ts";
import type { Selection } from "./plan.ts";
import type { BackfillProgress } from "./progress.ts";
import type { PushTarget } from "./push-delivery.ts";

export const RESOLUTIONS = ["auto", ...SERIES_TYPES] as const;
export type ResolutionChoice = (typeof RESOLUTIONS)[number];

/** As the user wrote them. A run continues another one with the same parameters. */
export interface BackfillParameters {
  readonly server: string;
  readonly from: string;
  readonly to: string;
  readonly resolution: ResolutionChoice;
  readonly labels: readonly string[];
  readonly paths: readonly string[];
  readonly kinds: readonly string[];
  readonly tags: readonly string[];
  /** Of the configuration. */
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

/** Fingerprints of the settings that change series. */
export interface SeriesSettings {
  readonly labels: string;
  /** Of all rules. */
  readonly mapping: string;
}

export function seriesSettings({ labels, mapping, ruleFiles }: Pick<Config, "labels" | "mapping" | "ruleFiles">) {
  const { keep, rename, fromTags } = labels;
  const rules = ruleFiles.flatMap((file) => file.rules);
  const { keepOriginal, byteUnits } = mapping;
  return {
    labels: fingerprint({ keep: keep && [...keep].sort(), rename: [...rename].sort(), fromTags }),
    // Without rules the other settings have no effect.
    mapping: fingerprint(rules.length === 0 ? [] : { rules, keepOriginal, byteUnits }),
  } satisfies SeriesSettings;
}

function fingerprint(settings: unknown): string {
  return createHash("sha256").update(JSON.stringify(settings)).digest("hex").slice(0, 16);
}

/** Dependencies and parameters of a run. */
export interface BackfillOptions {
  readonly api: MonitoringApi;
  readonly server: string;
  readonly from: TimeFlag;
  readonly to: TimeFlag;
  readonly selection: Selection;
  /** Labels and rules of `serve`. */
  readonly mapper: ChannelMapper;
  readonly extraLabels: readonly ExtraLabel[];
  /** For the journal. */
  readonly parameters: BackfillParameters;
  /** Folder of files, or for the state of a push. */
  readonly output: string;
  /** `undefined`: write files. */
  readonly push?: PushTarget | undefined;
  /** Continue without unreadable sensors. */
  readonly skipFailed: boolean;
  readonly concurrency: number;
  /** On the disk of a folder. */
  readonly freeBytes: (folder: string) => Promise<number>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly progress: BackfillProgress;
  readonly signal: AbortSignal;
}
