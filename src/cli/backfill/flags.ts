import { type Command, Option } from "commander";
import type { ConfigFlags, LogFlags } from "../../app/context.ts";
import {
  addExtraLabel,
  type ExtraLabel,
  parseExtraLabel,
  parseTimeFlag,
  RESOLUTIONS,
  type ResolutionChoice,
  type TimeFlag,
} from "../../backfill/parameters.ts";
import { parsed } from "../flags.ts";

export interface BackfillFlags extends LogFlags, ConfigFlags {
  readonly server?: string;
  readonly from: TimeFlag;
  /** `undefined`: where scrapes or pushes take over. */
  readonly to?: TimeFlag;
  readonly push?: boolean;
  readonly resolution: ResolutionChoice;
  readonly label: readonly ExtraLabel[];
  readonly path: readonly string[];
  readonly kind: readonly string[];
  readonly tag: readonly string[];
  readonly output?: string;
  readonly skipFailed?: boolean;
}

const FROM = "start of the history: a time such as 2026-03-01T00:00:00Z, or an age such as 60d";
const TO =
  "end of the history (default: 3h, because Prometheus has newer data in memory, or 4h with --push, because serve pushes newer data)";
const PUSH = "push to the configured OTLP receiver instead of writing files, oldest data first";
const WINDOWS = "live 4h, short 2d in steps of 5m, medium 60d of 1h, long 365d of 1d";

export function addBackfillFlags(command: Command): Command {
  const time = (text: string): TimeFlag => parsed(() => parseTimeFlag(text));
  return command
    .requiredOption("--from <time>", FROM, time)
    .option("--to <time>", TO, time)
    .option("--output <folder>", "directory for the files; continues an interrupted backfill")
    .addOption(new Option("--push", PUSH).conflicts(["output", "label"]))
    .option("--server <name>", "name of the server, if several are configured")
    .addOption(
      new Option("--resolution <series>", `${WINDOWS}; auto: the finest available`)
        .choices(RESOLUTIONS)
        .default("auto"),
    )
    .addOption(
      new Option("--label <name=value>", "label for every series, such as job and instance (repeatable)")
        .default([], "none")
        .argParser((text, labels: readonly ExtraLabel[]) => parsed(() => addExtraLabel(labels, parseExtraLabel(text)))),
    )
    .addOption(repeatable("--path <glob>", "select sensors by path, such as 'Berlin/**'; * matches within a name"))
    .addOption(repeatable("--kind <kind>", "select sensors by the label kind of prtg_sensor_info"))
    .addOption(repeatable("--tag <tag>", "select sensors with this tag"))
    .option("--skip-failed", "finish without sensors whose history cannot be read");
}

function repeatable(flags: string, description: string): Option {
  return new Option(flags, `${description} (repeatable)`)
    .default([], "all")
    .argParser((text, values: readonly string[]) => [...values, text]);
}
