import type { ChannelMapper } from "../mapping/channel-mapper.ts";
import type { WantedSections } from "../prtg/node-record.ts";

/** The current status only, or all 15 as 0 and 1. */
export type SensorStatusMode = "current" | "all";

/** The series and labels that the configuration asks for. */
export interface Shape {
  readonly mapper: ChannelMapper;
  readonly channelInfo: boolean;
  readonly sections: WantedSections;
  /** Optional families that the configuration asks for: values of `option`. */
  readonly options: ReadonlySet<string>;
  readonly sensorStatus: SensorStatusMode;
}
