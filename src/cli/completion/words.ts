import type { Command, Option } from "commander";

/** Commands, flags and values that a shell can complete. */
export interface CommandWords {
  readonly name: string;
  readonly description: string;
  readonly flags: readonly FlagWords[];
  /** Of the first argument. */
  readonly choices: readonly string[];
}

export interface FlagWords {
  /** `--log.level` */
  readonly flag: string;
  readonly description: string;
  readonly value: "none" | "file" | "text" | readonly string[];
}

const HELP: FlagWords = { flag: "--help", description: "display help", value: "none" };
/** Names of values that are paths. */
const PATHS = /<(file|path|folder)>/;
/** A path of URLs. */
const NO_PATHS = new Set(["--web.telemetry-path"]);

export function commandWords(program: Command): readonly CommandWords[] {
  return program.commands.map((command) => ({
    name: command.name(),
    description: command.description(),
    flags: [...command.options.map(flagWords), HELP],
    choices: command.registeredArguments[0]?.argChoices ?? [],
  }));
}

/** Flags before a command. */
export function programFlags(program: Command): readonly FlagWords[] {
  return [...program.options.map(flagWords), HELP];
}

function flagWords(option: Option): FlagWords {
  return { flag: option.long ?? option.flags, description: option.description, value: valueOfFlag(option) };
}

function valueOfFlag({ long, flags, argChoices, required }: Option): FlagWords["value"] {
  if (!required) return "none";
  if (argChoices !== undefined) return argChoices;
  return PATHS.test(flags) && !NO_PATHS.has(long ?? "") ? "file" : "text";
}
