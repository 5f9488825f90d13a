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
    .option("--sensor <id>", "the channels of this sensor")
    .option("--all", "the channels of all sensors")
    .option("--server <name>", "of this server only; without it of every configured one")
    .option("--recording <file>", "read this recording instead of asking a server")
    .option("--save <file>", "write what was read to a recording")
    .addOption(new Option("--format <format>", "how to print").choices(MAP_FORMATS).default("table"));
}

export function mapFlagsFault({ sensor, all, recording, save }: MapFlags): string | undefined {
  if (sensor === undefined && all !== true) return "give --sensor <id>, or --all";
  if (sensor !== undefined && all === true) return "give --sensor <id> or --all, not both";
  if (sensor !== undefined && !/^[^\s.]+$/.test(sensor)) {
    return `"${sensor}" is not the id of a sensor: give it as in the label sensor_id, such as 2490`;
  }
  if (recording !== undefined && save !== undefined) {
    return "--save writes what a server says: it cannot go with --recording";
  }
  return undefined;
}
