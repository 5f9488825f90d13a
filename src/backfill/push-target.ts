import type { ValueSeries } from "../mapping/channel-mapper.ts";
import type { MeasurementSink } from "../sync/measurement.ts";

/** The series of a channel; undefined for a channel that is not in the plan. */
export type DescribeHistory = (sensorId: string, channelId: string) => readonly ValueSeries[] | undefined;

/** A receiver that takes history as it takes measurements. */
export interface PushTarget {
  /** Where it is, for people. */
  readonly url: string;
  /** Values in one delivery, so few that they fit into one request; a row is never divided. */
  readonly maxPoints: number;
  readonly connect: (describe: DescribeHistory) => MeasurementSink;
  /** From 0 to below 1; spreads what is tried again. */
  readonly random: () => number;
}
