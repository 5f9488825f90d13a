import { formatValue } from "../../exposition/text-format.ts";
import { accountFor, type ChannelMapper } from "../../mapping/channel-mapper.ts";
import type { TreeNode } from "../../model/tree.ts";
import type { NodeRecord } from "../../prtg/node-record.ts";
import type { ChannelRecord } from "../../prtg/records.ts";

/** What is compared. `object`: one side does not have it. */
export type FactKind = "object" | "status" | "time" | "unit" | "value";

export interface Fact {
  readonly kind: FactKind;
  /** Name of the metric with a value. Empty for other facts. */
  readonly metric: string;
  readonly text: string | undefined;
}

/** Facts of an object, with its time first: of the measurement, or of the status. */
export interface ObjectFacts {
  /** ISO 8601, in UTC. */
  readonly time: string | undefined;
  readonly facts: readonly Fact[];
  /** Why the page has no value: `paused`, `stale` or `dropped`. */
  readonly withheld?: string | undefined;
}

export interface Difference {
  readonly kind: FactKind;
  readonly metric: string;
  readonly served: string | undefined;
  readonly own: string | undefined;
}

/** `changed`: the object changed between the reads, so they prove nothing. */
export type Verdict =
  | { readonly kind: "agrees"; readonly withheld: string | undefined }
  | { readonly kind: "changed" }
  | { readonly kind: "differs"; readonly differences: readonly Difference[] };

/**
 * Compares an answer of the object's own endpoint with what the page had before and after it.
 * `undefined`: there was no such object.
 */
export function judge(
  own: ObjectFacts | undefined,
  before: ObjectFacts | undefined,
  after: ObjectFacts | undefined,
): Verdict {
  if (own === undefined || before === undefined || after === undefined) {
    if (own !== undefined || before === undefined || after === undefined) return { kind: "changed" };
    return { kind: "differs", differences: [{ kind: "object", metric: "", served: "served", own: "not found" }] };
  }
  const sides = sidesAt(own.time, before, after);
  if (sides.length === 0) {
    if (isBetween(own.time, before.time, after.time)) return { kind: "changed" };
    return { kind: "differs", differences: [{ kind: "time", metric: "", served: after.time, own: own.time }] };
  }
  const results = sides.map((side) => ({ side, differences: differencesOf(own, side) }));
  const equal = results.find(({ differences }) => differences.length === 0);
  if (equal !== undefined) return { kind: "agrees", withheld: equal.side.withheld };
  // The same time does not protect against a pause, or another unit.
  if (sides.length === 2 && differencesOf(before, after).length > 0) return { kind: "changed" };
  return { kind: "differs", differences: results.at(-1)?.differences ?? [] };
}

/** The pages with the object at that time. A page without a time can be from any. */
function sidesAt(time: string | undefined, ...pages: readonly ObjectFacts[]): readonly ObjectFacts[] {
  return time === undefined ? pages : pages.filter((page) => page.time === undefined || page.time === time);
}

function isBetween(time: string | undefined, before: string | undefined, after: string | undefined): boolean {
  if (time === undefined || before === undefined || after === undefined) return false;
  return before < time && time < after;
}

function differencesOf(own: ObjectFacts, served: ObjectFacts): readonly Difference[] {
  const differences = keysOf(own, served).flatMap((key): Difference[] => {
    const [mine, theirs] = [factOf(own, key), factOf(served, key)];
    const { kind, metric } = mine ?? theirs ?? { kind: "object", metric: "" };
    if (mine?.text === theirs?.text || (kind === "value" && served.withheld !== undefined)) return [];
    return [{ kind, metric, served: theirs?.text, own: mine?.text }];
  });
  // Another unit can give the channel another metric.
  const units = differences.filter(({ kind }) => kind === "unit");
  return units.length > 0 ? units : differences;
}

function keysOf(...objects: readonly ObjectFacts[]): readonly string[] {
  return [...new Set(objects.flatMap(({ facts }) => facts.map(keyOf)))];
}

function factOf({ facts }: ObjectFacts, key: string): Fact | undefined {
  return facts.find((fact) => keyOf(fact) === key);
}

function keyOf({ kind, metric }: Fact): string {
  return `${kind} ${metric}`;
}

/** A sensor, or with `channelId` one of its channels. */
export interface ComparedObject {
  readonly sensorId: string;
  readonly channelId: string | undefined;
}

/** `2490` or `2490.1` */
export function nameOf({ sensorId, channelId }: ComparedObject): string {
  return channelId === undefined ? sensorId : `${sensorId}.${channelId}`;
}

export function sensorFacts(status: string | undefined, since: number | undefined): ObjectFacts {
  return { time: isoTime(since), facts: [{ kind: "status", metric: "", text: status }] };
}

/** Facts of an answer of `/sensors/{id}`. */
export function factsOfSensor({ status, statusSince }: NodeRecord): ObjectFacts {
  return sensorFacts(status, statusSince);
}

/** Facts of an answer of `/channels/{id}`, mapped as on the page. */
export function factsOfChannel(
  record: ChannelRecord,
  { mapper, server, sensor }: { readonly mapper: ChannelMapper; readonly server: string; readonly sensor: TreeNode },
): ObjectFacts {
  const { measuredAt, unit } = record;
  // The exporter serves no value without a time.
  const value = measuredAt === undefined ? undefined : record.value;
  const { series } = accountFor(mapper, server, sensor, { ...record, value });
  const values = series.map((each): Fact => {
    return {
      kind: "value",
      metric: each.family.name,
      text: each.value === undefined ? undefined : formatValue(each.value),
    };
  });
  return channelFacts(unit, measuredAt, values);
}

export function channelFacts(unit: string, measuredAt: number | undefined, values: readonly Fact[]): ObjectFacts {
  return { time: isoTime(measuredAt), facts: [{ kind: "unit", metric: "", text: unit }, ...values] };
}

function isoTime(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : new Date(ms).toISOString();
}
