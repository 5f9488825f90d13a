import type { ChannelMapper } from "../mapping/channel-mapper.ts";
import type { NodeKind } from "../prtg/records.ts";

/** `prtg_sensor_status`: a series for the current status only, or all 15 as 0 and 1. */
export type SensorStatusMode = "current" | "all";

/** The kinds of objects that have sensors below them. */
export type ParentKind = Exclude<NodeKind, "sensor">;

/** Which series there are, and with which labels, as the configuration says. */
export interface Shape {
  /** Decides which labels series have, and as what channels are served. */
  readonly mapper: ChannelMapper;
  /** Whether `prtg_channel_info` is served. */
  readonly channelInfo: boolean;
  readonly sensorStatus: SensorStatusMode;
  /** Kinds of objects below which sensors are counted per status. */
  readonly nodeSensors: Iterable<ParentKind>;
}
