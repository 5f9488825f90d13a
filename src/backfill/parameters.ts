import { createHash } from "node:crypto";
import type { Logger } from "pino";
import type { Config } from "../config/load.ts";
import type { Clock } from "../lib/clock.ts";
import type { ChannelMapper } from "../mapping/channel-mapper.ts";
import type { MonitoringApi } from "../prtg/monitoring-api.ts";
import { SERIES_TYPES, type SeriesType } from "../prtg/series-types.ts";
import type { ExtraLabel, GivenTime } from "./flag-values.ts";
import type { Selection } from "./plan.ts";
import type { BackfillProgress } from "./progress.ts";
import type { PushTarget } from "./push-delivery.ts";

export const RESOLUTIONS = ["auto", ...SERIES_TYPES] as const;
export type ResolutionChoice = (typeof RESOLUTIONS)[number];

/** As the user wrote them: a run continues another with the same. */
export interface BackfillParameters {
  readonly server: string;
  readonly from: string;
  readonly to: string;
  readonly resolution: ResolutionChoice;
  /** `job=prtg` */
  readonly labels: readonly string[];
  readonly paths: readonly string[];
  readonly kinds: readonly string[];
  readonly tags: readonly string[];
  /** Of the configuration. */
  readonly configured: SeriesSettings;
}

/** The finest first. */
export function seriesTypesOf(resolution: ResolutionChoice): readonly SeriesType[] {
  return resolution === "auto" ? SERIES_TYPES : [resolution];
}

/** In words; empty for the same. */
export function parameterDifferences(before: BackfillParameters, now: BackfillParameters): readonly string[] {
  const current = spelledOut(now);
  const flags = spelledOut(before).flatMap(([flag, was], index) => {
    const is = current[index]?.[1] ?? "";
    return was === is ? [] : [`${flag} was ${was || "not given"} and is ${is || "not given"}`];
  });
  const sections = (["labels", "mapping"] as const).filter((key) => before.configured[key] !== now.configured[key]);
  return [...flags, ...sections.map((section) => `the section ${section} of the configuration is not what it was`)];
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

/** The order of a repeated flag does not matter. */
function unordered(values: readonly string[]): string {
  return [...new Set(values)].sort().join(", ");
}

/** What in a configuration decides about series, as fingerprints: equal text, equal effect. */
export interface SeriesSettings {
  readonly labels: string;
  /** Of the rules, wherever they are. */
  readonly mapping: string;
}

export function seriesSettings({ labels, mapping, ruleFiles }: Pick<Config, "labels" | "mapping" | "ruleFiles">) {
  const { keep, rename, fromTags } = labels;
  const rules = ruleFiles.flatMap((file) => file.rules);
  const { keepOriginal, byteUnits } = mapping;
  return {
    labels: fingerprint({ keep: keep && [...keep].sort(), rename: [...rename].sort(), fromTags }),
    // Other settings have no effect without rules.
    mapping: fingerprint(rules.length === 0 ? [] : { rules, keepOriginal, byteUnits }),
  } satisfies SeriesSettings;
}

function fingerprint(settings: unknown): string {
  return createHash("sha256").update(JSON.stringify(settings)).digest("hex").slice(0, 16);
}

/** The outside world, and what the user asks for. */
export interface BackfillOptions {
  readonly api: MonitoringApi;
  /** Its configured name. */
  readonly server: string;
  readonly from: GivenTime;
  readonly to: GivenTime;
  readonly selection: Selection;
  /** Labels and rules, those of `serve`. */
  readonly mapper: ChannelMapper;
  readonly extraLabels: readonly ExtraLabel[];
  /** The same for the journal. */
  readonly parameters: BackfillParameters;
  /** Folder of files, or of the state of a push. */
  readonly output: string;
  /** Undefined: files. */
  readonly push?: PushTarget | undefined;
  /** The result may lack sensors that cannot be read. */
  readonly skipFailed: boolean;
  /** At the same time. */
  readonly concurrency: number;
  readonly clock: Clock;
  readonly log: Logger;
  readonly progress: BackfillProgress;
  readonly signal: AbortSignal;
}
