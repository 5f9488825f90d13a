import { type Command, InvalidArgumentError, Option } from "commander";
import type { ConfigFlags, LogFlags } from "../app/context.ts";
import { formatDuration, parseDuration } from "../config/quantities.ts";
import { parseShard } from "../config/shard.ts";
import { describeError, ExporterError } from "../errors/exporter-error.ts";
import { type ListenAddress, parseListenAddress } from "../http/server/listener.ts";
import type { ElectionTimes } from "../leadership/election.ts";
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

export function addWebFlags(command: Command, address = ":9705"): Command {
  return addWebConfigFlag(command)
    .addOption(
      new Option("--web.listen-address <address>", "address to serve metrics on (repeatable)")
        .default([parseListenAddress(address)], address)
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

/** Subject of the findings. */
export const AGREEMENT = "agreement";

const MAX_SEED = 2 ** 32 - 1;

export interface CompareFlags {
  /** Objects of each server. `undefined`: no comparison. */
  readonly compare?: number;
  readonly "compare.seed"?: number;
  readonly "compare.output"?: string;
}

export function addCompareFlags(command: Command): Command {
  return command
    .addOption(
      new Option(
        "--compare <number>",
        "also compare the metrics of so many random channels and sensors with their own endpoints",
      ).argParser(integer(1, 1_000_000)),
    )
    .addOption(
      new Option(
        "--compare.seed <number>",
        "random seed: the same seed chooses the same objects (default: random)",
      ).argParser(integer(0, MAX_SEED)),
    )
    .option("--compare.output <file>", "also write the summary of the comparison and all differences (JSON)");
}

export function compareFlagsFault(flags: CompareFlags): string | undefined {
  if (flags.compare !== undefined) return undefined;
  const lonely = (["compare.seed", "compare.output"] as const).find((name) => flags[name] !== undefined);
  return lonely === undefined ? undefined : `--${lonely} needs --compare <number>`;
}

export function randomSeed(random: () => number): number {
  return Math.floor(random() * (MAX_SEED + 1));
}

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

/** Names as in Kubernetes' programs. */
export interface LeaderElectionFlags {
  readonly leaderElect?: boolean;
  readonly leaderElectResourceName?: string;
  /** `undefined`: the pod's namespace. */
  readonly leaderElectResourceNamespace?: string;
  /** Milliseconds, like the next two. */
  readonly leaderElectLeaseDuration?: number;
  readonly leaderElectRenewDeadline?: number;
  readonly leaderElectRetryPeriod?: number;
  /** `undefined`: the mount path of Kubernetes. */
  readonly leaderElectServiceAccount?: string;
}

export const RESOURCE_NAME = "prtg-exporter";
/** Followers notice a dead leader after 12 to 15 seconds. A leader survives 7 to 9 seconds without the API server. */
const LEASE_DURATION_MS = 12_000;
const RENEW_DEADLINE_MS = 9_000;
const RETRY_PERIOD_MS = 2_000;

export function addLeaderElectionFlags(command: Command, lease = RESOURCE_NAME): Command {
  const duration = (flag: string, text: string, ms: number) =>
    new Option(`--leader-elect-${flag} <duration>`, text).default(ms, formatDuration(ms)).argParser(parseInterval);
  return command
    .option("--leader-elect", "work only while this replica holds a Kubernetes Lease")
    .addOption(
      new Option("--leader-elect-resource-name <name>", "name of the Lease (--shard appends its index)").default(lease),
    )
    .option("--leader-elect-resource-namespace <name>", "namespace of the Lease (default: namespace of the pod)")
    .addOption(
      duration("lease-duration", "standbys take over a Lease without renewal for this long", LEASE_DURATION_MS),
    )
    .addOption(duration("renew-deadline", "the leader stops if it cannot renew for this long", RENEW_DEADLINE_MS))
    .addOption(duration("retry-period", "interval of attempts to renew or take the Lease", RETRY_PERIOD_MS))
    .option(
      "--leader-elect-service-account <folder>",
      "directory with token, ca.crt and namespace (default: mount path of Kubernetes)",
    );
}

/** @throws ExporterError LEADER_ELECTION_INVALID */
export function electionTimes(flags: LeaderElectionFlags): ElectionTimes {
  const times = {
    leaseDurationMs: flags.leaderElectLeaseDuration ?? LEASE_DURATION_MS,
    renewDeadlineMs: flags.leaderElectRenewDeadline ?? RENEW_DEADLINE_MS,
    retryPeriodMs: flags.leaderElectRetryPeriod ?? RETRY_PERIOD_MS,
  };
  const { leaseDurationMs, renewDeadlineMs, retryPeriodMs } = times;
  // Leaves time for clock drift and a second attempt.
  if (leaseDurationMs >= 1.25 * renewDeadlineMs && renewDeadlineMs >= 2 * retryPeriodMs) return times;
  const durations = [leaseDurationMs, renewDeadlineMs, retryPeriodMs].map(formatDuration).join(", ");
  throw new ExporterError(
    "LEADER_ELECTION_INVALID",
    `lease duration, renew deadline and retry period are ${durations}`,
  );
}
