import { type Command, Option } from "commander";
import { systemClock } from "../clock.ts";
import { ExporterError } from "../errors/exporter-error.ts";
import { parseFault } from "../simulator/service/fault-grammar.ts";
import { type Simulator, startSimulator } from "../simulator/service/simulator.ts";
import { DEFAULT_WORLD_SIZE, type World, type WorldSize } from "../simulator/world/model.ts";
import { createWorld } from "../simulator/world/world.ts";
import { integer, parsed } from "./flags.ts";

/** Flags about the simulated world, for `simulate` and `demo`. */
export interface WorldFlags {
  readonly seed: number;
  readonly probes: number;
  readonly groups: number;
  readonly devices: number;
  readonly sensors: number;
  readonly channels: number;
  readonly spelling: "live" | "specification";
  readonly fault: readonly string[];
}

export function addWorldFlags(command: Command): Command {
  for (const kind of ["probes", "groups", "devices", "sensors", "channels"] as const) {
    const size = new Option(`--${kind} <number>`, `how many ${kind} there are`);
    command.addOption(size.default(DEFAULT_WORLD_SIZE[kind]).argParser(integer(1)));
  }
  return command
    .addOption(new Option("--seed <number>", "the same seed gives the same world").default(1).argParser(integer(0)))
    .addOption(
      new Option("--spelling <kind>", "spell answers as live servers do, or by the letter of the specification")
        .choices(["live", "specification"])
        .default("live"),
    )
    .addOption(
      new Option("--fault <fault>", "make something go wrong; may be repeated (see below)")
        .default([], "none")
        .argParser((text, faults: readonly string[]) => [...faults, parsed(() => parseFault(text)).text]),
    );
}

export interface ServiceAddress {
  readonly host: string;
  readonly port: number;
}

export interface ServiceCredentials {
  readonly apiKey: string;
  readonly username: string;
  readonly password: string;
}

/**
 * Starts the simulated monitoring server that the flags describe, with its world in the present.
 * @throws ExporterError WORLD_IMPOSSIBLE
 */
export function startSimulatedServer(
  flags: WorldFlags,
  address: ServiceAddress,
  credentials: ServiceCredentials,
): Promise<Simulator> {
  const { seed, probes, groups, devices, sensors, channels, spelling, fault } = flags;
  const size = { probes, groups, devices, sensors, channels };
  return startSimulator({
    world: createSizedWorld(seed, size),
    clock: systemClock,
    ...address,
    spelling,
    credentials,
    faults: fault,
  });
}

function createSizedWorld(seed: number, size: WorldSize): World {
  try {
    return createWorld({ seed, size, startedAt: systemClock.now() });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new ExporterError("WORLD_IMPOSSIBLE", error.message);
  }
}
