import { type Command, InvalidArgumentError, Option } from "commander";
import { parseFault } from "../faults/grammar.ts";
import { FAULT_HELP } from "../faults/help.ts";
import { NEWEST_RELEASE, RELEASE_NAMES, type ReleaseName } from "../release/release.ts";
import { parseDuration } from "../scenario/times.ts";
import { MAX_SPEED, MIN_SPEED } from "../simulated-time.ts";
import { DEFAULT_WORLD_SIZE, type WorldSize } from "../world/layout/size.ts";

/** Stories in `scenarios/`. */
export const SHIPPED_SCENARIOS: readonly string[] = ["busy-morning", "datacenter-power", "flapping-link"];

export interface WorldFlags extends Partial<WorldSize> {
  readonly seed: number;
  readonly spelling: "live" | "specification";
  readonly release: ReleaseName;
  readonly fault: readonly string[];
  readonly scenario?: string;
}

export interface TlsFlags {
  readonly tls?: true;
  /** PEM files. Both or none. */
  readonly tlsCert?: string;
  readonly tlsKey?: string;
}

export interface ServiceFlags extends WorldFlags, TlsFlags {
  /** With TLS, the default differs: see `listenAddressOf`. */
  readonly listenAddress: ServiceAddress;
  readonly apiKey: string;
  readonly readApiKey: string;
  readonly username: string;
  readonly password: string;
  readonly speed: number;
  /** Milliseconds since the epoch. */
  readonly startAt?: number;
  /** Time stands still from the beginning. */
  readonly frozen?: true;
  /** Milliseconds of simulated time. */
  readonly sessionLifetime?: number;
  readonly control?: true;
  readonly classicPort?: number;
  readonly hostileNames?: true;
  readonly acknowledgementMessages?: true;
  readonly exitWithStdin?: true;
  /** Path of a file that exists while the service listens. */
  readonly readyFile?: string;
}

export interface ServiceAddress {
  readonly host: string;
  readonly port: number;
}

/** The port of API v2. */
export const DEFAULT_ADDRESS: ServiceAddress = { host: "127.0.0.1", port: 1615 };
const DEFAULT_TLS_ADDRESS: ServiceAddress = { host: "127.0.0.1", port: 1616 };

/** Without `--listen-address`, the port of API v2 for the scheme. */
export function listenAddressOf(flags: Pick<ServiceFlags, "listenAddress" | keyof TlsFlags>): ServiceAddress {
  return flags.listenAddress === DEFAULT_ADDRESS && usesTls(flags) ? DEFAULT_TLS_ADDRESS : flags.listenAddress;
}

/** What is wrong with flags that are valid one by one. */
export function serviceFlagsFault({ apiKey, readApiKey, tlsCert, tlsKey }: ServiceFlags): string | undefined {
  if ((tlsCert === undefined) !== (tlsKey === undefined)) return "give --tls-cert and --tls-key together";
  if (apiKey === "" || readApiKey === "") return "an API key must not be empty";
  return apiKey === readApiKey ? "--api-key and --read-api-key are the same key" : undefined;
}

export function usesTls({ tls, tlsCert, tlsKey }: TlsFlags): boolean {
  return tls === true || tlsCert !== undefined || tlsKey !== undefined;
}

/** How the service is reached, and its time. */
export function addServiceFlags(command: Command): Command {
  return command
    .addOption(
      new Option(
        "--listen-address <address>",
        "address of the simulated API (port 0: any free port; with TLS, the default port is 1616)",
      )
        .default(DEFAULT_ADDRESS, "127.0.0.1:1615")
        .argParser(parseAddress),
    )
    .option("--tls", "serve HTTPS, with a new self-signed certificate if --tls-cert gives none")
    .option("--tls-cert <file>", "certificate of the server (PEM), with --tls-key")
    .option("--tls-key <file>", "private key of the certificate (PEM)")
    .addOption(
      new Option("--classic-port <port>", "also simulate the classic web server, without API v2").argParser(parsePort),
    )
    .option("--api-key <key>", "accepted API key, of the administrator", "simulated-key")
    .option("--read-api-key <key>", "accepted API key of a user with read access only", "simulated-read-key")
    .option("--username <name>", "user that can log in", "simulated-user")
    .option("--password <password>", "password of that user", "simulated-password")
    .addOption(
      new Option("--speed <number>", "simulated seconds per real second, except for delays and time limits")
        .default(1)
        .argParser(parseSpeed),
    )
    .addOption(
      new Option(
        "--start-at <time>",
        "start of simulated time, such as 2026-03-12T08:00:00Z, for repeatable runs",
      ).argParser(parseMoment),
    )
    .option("--frozen", "let the simulated time stand still until the control endpoint moves it")
    .addOption(
      new Option(
        "--session-lifetime <duration>",
        "simulated time after which a session ends, such as 90s (default: 30m)",
      ).argParser(parseLifetime),
    )
    .option("--hostile-names", "give 1 % of the objects names with quotes, markup, line breaks or other scripts")
    .option("--acknowledgement-messages", "show the message of an acknowledgement as the message of the sensor")
    .option("--control", "enable the control endpoint below /simulator (requires the API key)")
    .option(
      "--ready-file <file>",
      "write address, process id and fingerprint to this JSON file when the server listens",
    )
    .option("--exit-with-stdin", "stop when standard input ends, as with the program that started this one");
}

export function addWorldFlags(command: Command): Command {
  for (const kind of ["probes", "groups", "devices", "sensors", "channels"] as const) {
    const text = `number of ${kind} (default: ${DEFAULT_WORLD_SIZE[kind]}, or in proportion to other sizes)`;
    command.addOption(new Option(`--${kind} <number>`, text).argParser(integer(1)));
  }
  return command
    .addOption(
      new Option("--seed <number>", "random seed: the same seed gives the same world").default(1).argParser(integer(0)),
    )
    .addOption(
      new Option("--spelling <kind>", "format of answers: as live servers, or as the specification")
        .choices(["live", "specification"])
        .default("live"),
    )
    .addOption(
      new Option("--release <number>", "PRTG release to simulate; releases differ in endpoints and answers")
        .choices(RELEASE_NAMES)
        .default(NEWEST_RELEASE),
    )
    .addOption(
      new Option("--fault <fault>", "inject a fault (repeatable, see below)").default([], "none").argParser(addFault),
    )
    .option("--scenario <file>", `scenario to run: a YAML file, or one of ${SHIPPED_SCENARIOS.join(", ")}`)
    .addHelpText("after", FAULT_HELP);
}

function addFault(text: string, faults: readonly string[]): readonly string[] {
  try {
    return [...faults, parseFault(text).text];
  } catch (error) {
    throw new InvalidArgumentError(error instanceof Error ? error.message : String(error));
  }
}

function parseAddress(text: string): ServiceAddress {
  const match = /^(?:\[([0-9A-Fa-f:.%]+)\]|([^:[\]\s]*)):(\d{1,5})$/.exec(text);
  const port = Number(match?.[3]);
  if (match === null || port > 65_535) throw new InvalidArgumentError(`"${text}" is not a listen address`);
  return { host: match[1] ?? (match[2] || "0.0.0.0"), port };
}

function integer(minimum: number, maximum = Number.MAX_SAFE_INTEGER): (text: string) => number {
  const bounds = maximum === Number.MAX_SAFE_INTEGER ? `of at least ${minimum}` : `from ${minimum} to ${maximum}`;
  return (text) => {
    const number = Number(text);
    if (Number.isSafeInteger(number) && number >= minimum && number <= maximum) return number;
    throw new InvalidArgumentError(`Give a whole number ${bounds}.`);
  };
}

export const parsePort = integer(0, 65_535);

function parseSpeed(text: string): number {
  const speed = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  if (speed >= MIN_SPEED && speed <= MAX_SPEED) return speed;
  throw new InvalidArgumentError(`Give a number from ${MIN_SPEED} to ${MAX_SPEED}.`);
}

function parseLifetime(text: string): number {
  const lifetime = parseDuration(text) ?? 0;
  if (lifetime > 0) return lifetime;
  throw new InvalidArgumentError("Give a duration such as 90s or 30m.");
}

function parseMoment(text: string): number {
  const hasZone = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/.test(text);
  const moment = hasZone ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(moment)) throw new InvalidArgumentError("Give a time such as 2026-03-12T08:00:00Z.");
  return moment;
}

/** Behind the flags in the help of a program. */
export function exampleHelp(program: string): string {
  return `
The simulator keeps everything in memory. The tree, its values and its alarms
depend on --seed and the time: with the same --seed, --start-at and --scenario,
each run is equal. Clients, scenarios and the control endpoint:
https://prtg-exporter.github.io/prtg-exporter/simulator
Example: ${program} --start-at 2026-03-12T08:00:00Z --speed 60 \\
  --scenario datacenter-power --control`;
}
