import { type Command, Option } from "commander";
import type { ConfigFlags, LogFlags } from "../../app/context.ts";
import {
  addExtraLabel,
  type ExtraLabel,
  parseExtraLabel,
  parseTimeFlag,
  type TimeFlag,
} from "../../backfill/flag-values.ts";
import { RESOLUTIONS, type ResolutionChoice } from "../../backfill/parameters.ts";
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

const WINDOWS = "live 4h, short 2d in steps of 5m, medium 60d of 1h, long 365d of 1d";

export function addBackfillFlags(command: Command): Command {
  const time = (text: string): TimeFlag => parsed(() => parseTimeFlag(text));
  return command
    .addOption(
      new Option("--from <time>", "where history begins: 2026-03-01T00:00:00Z, or a duration ago such as 60d")
        .makeOptionMandatory()
        .argParser(time),
    )
    .addOption(
      new Option(
        "--to <time>",
        "where it ends (default: 3h, which Prometheus still holds in memory; with --push 4h, where serve begins)",
      ).argParser(time),
    )
    .option("--output <folder>", "where the files go; an interrupted backfill there is continued")
    .addOption(
      new Option("--push", "instead of files: push by OTLP to where the configuration says, oldest first").conflicts([
        "output",
        "label",
      ]),
    )
    .option("--server <name>", "which server, where the configuration has several")
    .addOption(
      new Option("--resolution <series>", `${WINDOWS}; auto: for each time the finest that there is`)
        .choices(RESOLUTIONS)
        .default("auto"),
    )
    .addOption(
      new Option("--label <name=value>", "label for every series, as a scrape adds job and instance; may be repeated")
        .default([], "none")
        .argParser((text, labels: readonly ExtraLabel[]) => parsed(() => addExtraLabel(labels, parseExtraLabel(text)))),
    )
    .addOption(repeatable("--path <glob>", "sensors by the label path, as in 'Berlin/**'; * stays within a name"))
    .addOption(repeatable("--kind <kind>", "sensors by the label kind of prtg_sensor_info"))
    .addOption(repeatable("--tag <tag>", "sensors that have the tag"))
    .option("--skip-failed", "finish without the sensors that the server fails to give");
}

function repeatable(flags: string, description: string): Option {
  return new Option(flags, `${description}; may be repeated`)
    .default([], "all")
    .argParser((text, values: readonly string[]) => [...values, text]);
}
