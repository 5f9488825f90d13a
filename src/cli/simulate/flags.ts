import { type Command, InvalidArgumentError, Option } from "commander";
import { MAX_SPEED, MIN_SPEED } from "../../../packages/simulator/src/simulated-time.ts";
import type { LogFlags } from "../../app/context.ts";
import { type ListenAddress, parseListenAddress } from "../../http/server/listener.ts";
import { integer, parsed } from "../flags.ts";
import type { WorldFlags } from "./world-flags.ts";

/** Beside those of `demo`. */
export interface SimulateFlags extends LogFlags, WorldFlags {
  readonly listenAddress: ListenAddress;
  readonly apiKey: string;
  readonly username: string;
  readonly password: string;
  readonly speed: number;
  /** Milliseconds since the epoch. */
  readonly startAt?: number;
  readonly control?: true;
  readonly classicPort?: number;
  /** File with a report about the server to play. */
  readonly fromReport?: string;
  readonly hostileNames?: true;
}

export function addSimulateFlags(command: Command): Command {
  return command
    .addOption(
      new Option("--listen-address <address>", "where the simulated API listens")
        .default(parseListenAddress("127.0.0.1:1615"), "127.0.0.1:1615")
        .argParser((text): ListenAddress => parsed(() => parseListenAddress(text))),
    )
    .addOption(
      new Option("--classic-port <port>", "also play the classic web server, which knows nothing of API v2").argParser(
        integer(0, 65_535),
      ),
    )
    .option("--api-key <key>", "API key that it accepts", "simulated-key")
    .option("--username <name>", "user that can log in", "simulated-user")
    .option("--password <password>", "password of that user", "simulated-password")
    .addOption(
      new Option("--speed <number>", "simulated seconds per real second; sessions and time limits stay real")
        .default(1)
        .argParser(parseSpeed),
    )
    .addOption(
      new Option(
        "--start-at <time>",
        "when simulated time begins, such as 2026-03-12T08:00:00Z, so that runs repeat",
      ).argParser(parseMoment),
    )
    .option("--hostile-names", "give one in a hundred a name with quotes, markup, line ends or other scripts")
    .option("--from-report <file>", "play the server of a report that check --report wrote: release, spelling, sizes")
    .option("--control", "let the world be changed at run time, below /simulator (with the API key)");
}

function parseSpeed(text: string): number {
  const speed = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  if (!(speed >= MIN_SPEED && speed <= MAX_SPEED)) {
    throw new InvalidArgumentError(`Give a number from ${MIN_SPEED} to ${MAX_SPEED}.`);
  }
  return speed;
}

function parseMoment(text: string): number {
  const moment = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/.test(text)
    ? Date.parse(text)
    : Number.NaN;
  if (Number.isNaN(moment)) throw new InvalidArgumentError("Give a time such as 2026-03-12T08:00:00Z.");
  return moment;
}

/** In `simulate --help`, after the flags. */
export const SIMULATE_HELP = `
Everything is in memory and nothing is real: the tree, its values and its alarms
follow from --seed and the time. The same --seed, --start-at and --scenario tell
the same story again. docs/simulator.md says how to point a client at it, how to
write scenarios, and what the control endpoint can do.
Example: prtg-exporter simulate --start-at 2026-03-12T08:00:00Z --speed 60 \\
  --scenario datacenter-power --control`;
