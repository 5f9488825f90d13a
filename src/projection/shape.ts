import type { ChannelMapper } from "../mapping/channel-mapper.ts";
import type { NodeKind } from "../prtg/records.ts";

/** The current status only, or all 15 as 0 and 1. */
export type SensorStatusMode = "current" | "all";

export type ParentKind = Exclude<NodeKind, "sensor">;

/** The series and labels that the configuration asks for. */
export interface Shape {
  readonly mapper: ChannelMapper;
  readonly channelInfo: boolean;
  readonly dependencyInfo: boolean;
  readonly sensorStatus: SensorStatusMode;
  /** Kinds below which the exporter counts sensors per status. */
  readonly nodeSensors: Iterable<ParentKind>;
}
