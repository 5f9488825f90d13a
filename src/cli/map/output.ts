import { formatLabels, formatValue } from "../../exposition/text-format.ts";
import { oneLine, shortLine, textTable } from "../../lib/printable-text.ts";
import type { AccountedSeries, ChannelAccount } from "../../mapping/channel-mapper.ts";
import type { LabelSettings } from "../../mapping/label-settings.ts";
import { CHANNEL_LABEL_NAMES } from "../../mapping/metric-table.ts";
import type { TreeNode } from "../../model/tree.ts";
import type { ChannelRecord } from "../../prtg/records.ts";

export interface MappedChannel {
  readonly server: string;
  readonly sensor: TreeNode;
  readonly channel: ChannelRecord;
  readonly account: ChannelAccount;
}

/** The rule is last and uncut, because it may name a file. */
const HEAD = ["CHANNEL", "SENSOR", "KIND", "NAME", "VALUE", "UNIT", "SERIES", "RULE"];

/** Servers may send any length. */
const MAX_SENSOR = 40;
const MAX_KIND = 20;
const MAX_NAME = 30;
const MAX_UNIT = 12;
const MAX_SERIES = 60;

/**
 * One row per series or unmapped channel. Only labels of rules and tags, because the other columns have the rest. `--format json` has
 * everything.
 */
export function mapTable(channels: readonly MappedChannel[], withServer: boolean, { rename }: LabelSettings): string {
  const usual = new Set(["server", ...CHANNEL_LABEL_NAMES].map((label) => rename.get(label) ?? label));
  const rows = channels.flatMap((mapped) => {
    const { server, sensor, channel, account } = mapped;
    const { channelId, name, value, unit } = channel;
    const cells = [
      `${sensor.id}.${channelId}`,
      cutFront(sensor.path, MAX_SENSOR),
      shortLine(sensor.type, MAX_KIND),
      shortLine(name, MAX_NAME),
      value === undefined ? "" : rounded(value),
      shortLine(unit, MAX_UNIT),
    ];
    const head = withServer ? [server, ...cells] : cells;
    const series = account.series.length === 0 ? ["none"] : account.series.map((each) => seriesText(each, usual));
    return series.map((text, index) =>
      index === 0 ? [...head, text, account.reason] : [...head.map(() => ""), text, ""],
    );
  });
  return textTable(withServer ? ["SERVER", ...HEAD] : HEAD, rows);
}

function seriesText({ family, labels, value }: AccountedSeries, usual: ReadonlySet<string>): string {
  const added = family.labels.flatMap((name, index) => (usual.has(name) ? [] : [[name, labels[index] ?? ""] as const]));
  const names = added.map(([name]) => name);
  const values = added.map(([, text]) => text);
  const name = shortLine(`${family.name}${formatLabels(names, values)}`, MAX_SERIES);
  return value === undefined ? name : `${name} ${rounded(value)}`;
}

/** Fractions with six digits, for people. */
function rounded(value: number): string {
  return formatValue(Number.isInteger(value) ? value : Number(value.toPrecision(6)));
}

/** The end of a path is more specific. */
function cutFront(text: string, length: number): string {
  const line = oneLine(text);
  return line.length <= length ? line : `…${line.slice(1 - length)}`;
}

export function conclude(channels: readonly MappedChannel[]): string {
  const counts = Map.groupBy(channels, ({ account }) => account.outcome);
  const parts = [...counts].map(([outcome, each]) => `${each.length} ${outcome.replaceAll("_", " ")}`);
  return `${channels.length} channels: ${parts.length === 0 ? "none" : parts.join(", ")}`;
}

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
