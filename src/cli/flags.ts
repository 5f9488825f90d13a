import { type Command, InvalidArgumentError, Option } from "commander";
import { parseDuration } from "../config/quantities.ts";
import { parseShard } from "../config/shard.ts";
import { describeError } from "../errors/exporter-error.ts";
import { type ListenAddress, parseListenAddress } from "../http/server/listener.ts";
import { LOG_FORMATS, LOG_LEVELS, type LogLevel } from "../telemetry/logger.ts";

export interface WebConfigFlags {
  /** Format of Prometheus' exporter-toolkit. */
  readonly "web.config.file"?: string;
}

export interface WebFlags extends WebConfigFlags {
  readonly "web.listenAddress": readonly ListenAddress[];
  readonly "web.telemetryPath": string;
  readonly "web.enableLifecycle"?: boolean;
  readonly "web.maxConnections"?: number;
  readonly "web.maxRequests"?: number;
}

/** `--log.level` and `--log.format` (default: JSON unless interactive). */
export function addLogFlags(command: Command, interactive: boolean, level: LogLevel = "info"): Command {
  return command
    .addOption(new Option("--log.level <level>", "minimum level of log lines").choices(LOG_LEVELS).default(level))
    .addOption(
      new Option("--log.format <format>", "format of log lines")
        .choices(LOG_FORMATS)
        .default(interactive ? "text" : "json"),
    );
}

export function addWebFlags(command: Command): Command {
  return addWebConfigFlag(command)
    .addOption(
      new Option("--web.listen-address <address>", "address to serve metrics on (repeatable)")
        .default([parseListenAddress(":9705")], ":9705")
        .argParser(collectAddresses()),
    )
    .addOption(
      new Option("--web.telemetry-path <path>", "path of the metrics page").default("/metrics").argParser(parsePath),
    )
    .addOption(
      new Option("--web.max-connections <number>", "maximum number of open connections")
        .default(512)
        .argParser(integer(1)),
    )
    .addOption(
      new Option("--web.max-requests <number>", "maximum number of concurrent requests (0: no limit)")
        .default(40)
        .argParser(integer(0)),
    );
}

export function addWebConfigFlag(command: Command): Command {
  return command.option("--web.config.file <path>", "TLS, users and headers of the web server (YAML)");
}

export function addConfigFlag(command: Command): Command {
  return command.option("--config.file <path>", "configuration file (YAML) (default: PRTG_URL and PRTG_API_KEY_FILE)");
}

export function addShardFlag(command: Command): Command {
  const flag = new Option("--shard <i/n>", "read only the servers of replica i of n, with i from 0");
  return command.addOption(flag.argParser((text) => parsed(() => parseShard(text), describeError)));
}

export function addAutoReloadFlag(command: Command): Command {
  const flag = new Option(
    "--config.auto-reload-interval <duration>",
    "interval of checks for changed configuration files, with a reload as on SIGHUP",
  );
  return command.addOption(flag.argParser(parseInterval));
}

/** Milliseconds. */
export function parseInterval(text: string): number {
  const ms = parseDuration(text);
  if (ms === undefined || ms < 1_000) {
    throw new InvalidArgumentError("Give a duration of at least 1s, such as 30s.");
  }
  return ms;
}

/** The first value replaces the default, others are added. */
function collectAddresses(): (text: string) => readonly ListenAddress[] {
  const addresses: ListenAddress[] = [];
  return (text) => {
    addresses.push(parsed(() => parseListenAddress(text)));
    return addresses;
  };
}

function parsePath(text: string): string {
  if (!/^\/[\w./~-]*$/.test(text) || text === "/" || /^\/(-|debug)\//.test(text)) {
    throw new InvalidArgumentError("Give a path such as /metrics. The paths /, /-/... and /debug/... are reserved.");
  }
  return text;
}

export function integer(minimum: number, maximum = Number.MAX_SAFE_INTEGER): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (!Number.isSafeInteger(number) || number < minimum || number > maximum) {
      const bounds = maximum === Number.MAX_SAFE_INTEGER ? `of at least ${minimum}` : `from ${minimum} to ${maximum}`;
      throw new InvalidArgumentError(`Give a whole number ${bounds}.`);
    }
    return number;
  };
}

/** Commander prints the error with the flag's name. */
export function parsed<Value>(parse: () => Value, describe: (error: unknown) => string = messageOf): Value {
  try {
    return parse();
  } catch (error) {
    throw new InvalidArgumentError(describe(error));
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
