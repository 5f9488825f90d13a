import { type Command, InvalidArgumentError, Option } from "commander";
import { type ListenAddress, parseListenAddress } from "../http/listen-address.ts";
import { LOG_FORMATS, LOG_LEVELS, type LogFormat, type LogLevel } from "../telemetry/logger.ts";

/** Flags about logging, on every command. */
export interface LogFlags {
  readonly "log.level": LogLevel;
  readonly "log.format": LogFormat;
}

/** Flags about the exporter's own web server. */
export interface WebFlags {
  readonly "web.listenAddress": readonly ListenAddress[];
  readonly "web.telemetryPath": string;
  readonly "web.enableLifecycle"?: boolean;
}

export interface ConfigFlags {
  readonly "config.file"?: string;
}

/** Adds `--log.level` and `--log.format`; JSON unless a person is watching. */
export function addLogFlags(command: Command, interactive: boolean, level: LogLevel = "info"): Command {
  return command
    .addOption(new Option("--log.level <level>", "what to log").choices(LOG_LEVELS).default(level))
    .addOption(
      new Option("--log.format <format>", "how to log").choices(LOG_FORMATS).default(interactive ? "text" : "json"),
    );
}

/** Adds `--web.listen-address` (repeatable) and `--web.telemetry-path`. */
export function addWebFlags(command: Command): Command {
  return command
    .addOption(
      new Option("--web.listen-address <address>", "address to serve metrics on; may be repeated")
        .default([parseListenAddress(":9705")], ":9705")
        .argParser(collectAddresses()),
    )
    .addOption(
      new Option("--web.telemetry-path <path>", "path of the metrics page").default("/metrics").argParser(parsePath),
    );
}

export function addConfigFlag(command: Command): Command {
  return command.option("--config.file <path>", "configuration file (YAML); without it PRTG_URL and PRTG_API_KEY_FILE");
}

/** The first address given replaces the default, later ones are added. */
function collectAddresses(): (text: string) => readonly ListenAddress[] {
  const addresses: ListenAddress[] = [];
  return (text) => {
    addresses.push(parsed(() => parseListenAddress(text)));
    return addresses;
  };
}

function parsePath(text: string): string {
  if (!/^\/[\w./~-]*$/.test(text) || text === "/" || /^\/(-|debug)\//.test(text)) {
    throw new InvalidArgumentError("Give a path such as /metrics; /, /-/... and /debug/... are taken.");
  }
  return text;
}

/** A whole number of at least `minimum`, for commander's argParser. */
export function integer(minimum: number): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (!Number.isSafeInteger(number) || number < minimum) {
      throw new InvalidArgumentError(`Give a whole number of at least ${minimum}.`);
    }
    return number;
  };
}

/** Turns the error of a parser into one that commander prints with the flag's name. */
export function parsed<Value>(parse: () => Value): Value {
  try {
    return parse();
  } catch (error) {
    throw new InvalidArgumentError(error instanceof Error ? error.message : String(error));
  }
}
