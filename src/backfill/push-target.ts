import type { MeasurementSink } from "../sync/measurement.ts";

/** Label values of a channel's series, in the order of its family; undefined for a channel that is not in the plan. */
export type ChannelLabels = (sensorId: string, channelId: string) => readonly string[] | undefined;

/** A receiver that takes history as it takes measurements. */
export interface PushTarget {
  /** Where it is, for people. */
  readonly url: string;
  /** Values in one delivery, so few that they fit into one request; a row is never divided. */
  readonly maxPoints: number;
  readonly connect: (channelLabels: ChannelLabels) => MeasurementSink;
  /** From 0 to below 1; spreads what is tried again. */
  readonly random: () => number;
}
