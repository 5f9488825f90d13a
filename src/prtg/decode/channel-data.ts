import type { ChannelRecord } from "../records.ts";
import { decodeChannel } from "./channel.ts";
import type { DecodeProblems } from "./problems.ts";
import { idOf, isObject } from "./values.ts";

/**
 * A channel measurement of `/sensors/{id}/data`: a reference to the channel, and the measurement beside it or in
 * `last_measurement`. The specification shows no fields, so each is looked for where either form may have it; name and unit
 * are empty where the record has none. Undefined, and counted, when the channel cannot be told.
 */
export function decodeChannelData(
  sensorId: string,
  record: unknown,
  problems: DecodeProblems,
): ChannelRecord | undefined {
  if (!isObject(record)) return decodeChannel(record, problems);
  const { parent: _parent, ...members } = record;
  const channel = isObject(record.channel) ? record.channel : record;
  const id = idOf(channel.id) ?? idOf(record.channel_id) ?? "";
  return decodeChannel(
    {
      ...members,
      id: `${sensorId}.${id.slice(id.indexOf(".") + 1)}`,
      name: channel.name ?? record.name,
      basic: channel.basic ?? record.basic,
      unit: record.unit ?? channel.unit,
      last_measurement: record.last_measurement ?? record,
    },
    problems,
  );
}
