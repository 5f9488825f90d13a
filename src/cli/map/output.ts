import { formatLabels, formatValue } from "../../exposition/text-format.ts";
import { textTable } from "../../lib/printable-text.ts";
import type { AccountedSeries, ChannelAccount } from "../../mapping/channel-account.ts";
import type { TreeNode } from "../../model/tree.ts";
import type { ChannelRecord } from "../../prtg/records.ts";

/** A channel and how it comes to its series. */
export interface MappedChannel {
  readonly server: string;
  readonly sensor: TreeNode;
  readonly channel: ChannelRecord;
  readonly account: ChannelAccount;
}

const HEAD = ["CHANNEL", "SENSOR", "NAME", "VALUE", "UNIT", "RULE", "SERIES"];

/** One line for each series, and one for each channel that has none. */
export function mapTable(channels: readonly MappedChannel[], withServer: boolean): string {
  const rows = channels.flatMap((mapped) => {
    const { server, sensor, channel, account } = mapped;
    const { channelId, name, value, unit } = channel;
    const cells = [
      `${sensor.id}.${channelId}`,
      sensor.path,
      name,
      value === undefined ? "" : formatValue(value),
      unit,
      account.reason,
    ];
    const own = withServer ? [server, ...cells] : cells;
    const series = account.series.length === 0 ? ["none"] : account.series.map(seriesText);
    return series.map((text, index) => [...(index === 0 ? own : own.map(() => "")), text]);
  });
  return textTable(withServer ? ["SERVER", ...HEAD] : HEAD, rows);
}

function seriesText({ family, labels, value }: AccountedSeries): string {
  const name = `${family.name}${formatLabels(family.labels, labels)}`;
  return value === undefined ? name : `${name} ${formatValue(value)}`;
}

/** How many channels became what. */
export function conclude(channels: readonly MappedChannel[]): string {
  const counts = Map.groupBy(channels, ({ account }) => account.outcome);
  const parts = [...counts].map(([outcome, each]) => `${each.length} ${outcome.replaceAll("_", " ")}`);
  return `${channels.length} channels: ${parts.length === 0 ? "none" : parts.join(", ")}`;
}

/** The same for programs. */
export function mapJson(channels: readonly MappedChannel[]): object[] {
  return channels.map(({ server, sensor, channel, account }) => ({
    server,
    sensor_id: sensor.id,
    channel_id: channel.channelId,
    path: sensor.path,
    kind: sensor.type,
    channel: channel.name,
    unit: channel.unit,
    value: channel.value,
    outcome: account.outcome,
    rule: account.rule,
    reason: account.reason,
    series: account.series.map(({ family, labels, value }) => ({
      name: family.name,
      labels: Object.fromEntries(family.labels.map((name, index) => [name, labels[index] ?? ""])),
      value,
    })),
  }));
}
