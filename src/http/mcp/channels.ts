import type { ChannelReport, NodeReport } from "../pages/status/report.ts";
import type { ToolCall } from "./tool.ts";

/** Bounds the work for one call. Sensors have less than 50 channels, apart from a few. */
const MAX_CHANNELS = 5_000;

/** Channels of a sensor beyond the first report, too. @param isEnough Ends the search. */
export async function channelsOf(
  call: ToolCall,
  report: NodeReport,
  isEnough: (channels: readonly ChannelReport[]) => boolean = () => false,
): Promise<readonly ChannelReport[]> {
  const { server, id } = report.node;
  const { source, signal } = call;
  const total = Math.min(report.sensor?.channels_total ?? 0, MAX_CHANNELS);
  let channels = report.sensor?.channels ?? [];
  while (channels.length < total && !isEnough(channels)) {
    const from = channels.length;
    const next = await call.turn(() => source.node({ server, id, from }, signal));
    const more = next?.sensor?.channels ?? [];
    if (more.length === 0 || next?.sensor?.channels_from !== from) break;
    channels = [...channels, ...more];
  }
  return channels;
}
