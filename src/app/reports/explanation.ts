import { formatLabels, formatValue } from "../../exposition/text-format.ts";
import { accountFor, type ChannelAccount } from "../../mapping/channel-mapper.ts";
import type { ChannelInspection, SensorInspection } from "../../projection/inspection.ts";
import type { PresentSeries } from "../../projection/projector.ts";
import type { ServerView } from "../../projection/server-view.ts";
import type { DebugSources } from "./sources.ts";

/** Channels on one page. Most sensors have less than 50. */
const MAX_CHANNELS_SHOWN = 200;

/** A sensor with its channels, or with one of them. */
export interface ExplainedObject {
  readonly sensorId: string;
  readonly channelId?: string | undefined;
  /** Position of the first channel. */
  readonly from: number;
}

/** A channel, what the mapping rules do with it, and its lines of the metrics page. */
export interface ChannelExplanation {
  readonly channel: ChannelInspection;
  readonly account: ChannelAccount;
  readonly lines: readonly string[];
}

export interface SensorExplanation {
  readonly inspection: SensorInspection;
  readonly lines: readonly string[];
  readonly channels: readonly ChannelExplanation[];
}

/** `undefined` if the server has no such sensor or channel. */
export function explainSensor(
  view: Pick<ServerView, "inspect" | "present">,
  { sensorId, channelId, from }: ExplainedObject,
  { mapper, clock }: Pick<DebugSources, "mapper" | "clock">,
): SensorExplanation | undefined {
  const choice = channelId === undefined ? { from, count: MAX_CHANNELS_SHOWN } : { channelId };
  const now = clock.monotonic();
  const inspection = view.inspect(sensorId, choice, now);
  if (inspection === undefined || (channelId !== undefined && inspection.channels.length === 0)) return undefined;
  const { server, sensor, channels } = inspection;
  const ids = channels.map((channel) => channel.channelId);
  const series = view.present(sensorId, ids, now);
  return {
    inspection,
    lines: series.own.map(metricLine),
    channels: channels.map((channel) => ({
      channel,
      account: accountFor(mapper, server, sensor, channel),
      lines: (series.channels.get(channel.channelId) ?? []).map(metricLine),
    })),
  };
}

/** Line of the metrics page. */
function metricLine({ family, labels, value }: PresentSeries): string {
  return `${family.name}${formatLabels(family.labels, labels)} ${formatValue(value)}`;
}
