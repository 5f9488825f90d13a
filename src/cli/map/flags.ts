import { type Command, Option } from "commander";
import type { ConfigFlags, LogFlags } from "../../app/context.ts";

const MAP_FORMATS = ["table", "json"] as const;
export type MapFormat = (typeof MAP_FORMATS)[number];

export interface MapFlags extends LogFlags, ConfigFlags {
  readonly sensor?: string;
  readonly all?: boolean;
  readonly server?: string;
  readonly recording?: string;
  readonly save?: string;
  readonly format: MapFormat;
}

export function addMapFlags(command: Command): Command {
  return command
    .option("--sensor <id>", "show the channels of this sensor")
    .option("--all", "show the channels of all sensors")
    .option("--server <name>", "show only this server (default: all configured servers)")
    .option("--recording <file>", "read this recording instead of a server")
    .option("--save <file>", "save the read data as a recording")
    .addOption(new Option("--format <format>", "output format").choices(MAP_FORMATS).default("table"));
}

export function mapFlagsFault({ sensor, all, recording, save }: MapFlags): string | undefined {
  if (sensor === undefined && all !== true) return "give --sensor <id>, or --all";
  if (sensor !== undefined && all === true) return "give --sensor <id> or --all, not both";
  if (sensor !== undefined && !/^[^\s.]+$/.test(sensor)) {
    return `"${sensor}" is not the id of a sensor: give the value of the label sensor_id, such as 2490`;
  }
  if (recording !== undefined && save !== undefined) {
    return "--save cannot be combined with --recording";
  }
  return undefined;
}
