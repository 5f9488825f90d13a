import { formatValue } from "../../exposition/text-format.ts";
import { accountFor } from "../../mapping/channel-account.ts";
import type { ChannelMapper } from "../../mapping/channel-mapper.ts";
import type { TreeNode } from "../../model/tree.ts";
import type { NodeRecord } from "../../prtg/node-record.ts";
import type { ChannelRecord } from "../../prtg/records.ts";
import type { Fact, ObjectFacts } from "./verdict.ts";

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
