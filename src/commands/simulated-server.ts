import { systemClock } from "../clock.ts";
import { ExporterError } from "../errors/exporter-error.ts";
import { type Simulator, startSimulator } from "../simulator/service/simulator.ts";
import type { World, WorldSize } from "../simulator/world/model.ts";
import { createWorld } from "../simulator/world/world.ts";
import type { WorldFlags } from "./world-flags.ts";

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
 * @throws ExporterError WORLD_IMPOSSIBLE, LISTEN_FAILED
 */
export async function startSimulatedServer(
  flags: WorldFlags,
  address: ServiceAddress,
  credentials: ServiceCredentials,
): Promise<Simulator> {
  const { seed, spelling, fault } = flags;
  const world = createSizedWorld(seed, flags);
  try {
    return await startSimulator({ world, clock: systemClock, ...address, spelling, credentials, faults: fault });
  } catch (error) {
    if (!(error instanceof Error && "syscall" in error)) throw error;
    throw new ExporterError("LISTEN_FAILED", `cannot listen on ${address.host}:${address.port}`, {
      cause: error,
      remedy: "Choose another --listen-address, or stop the program that uses it.",
    });
  }
}

function createSizedWorld(seed: number, size: Partial<WorldSize>): World {
  try {
    return createWorld({ seed, size, startedAt: systemClock.now() });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new ExporterError("WORLD_IMPOSSIBLE", error.message);
  }
}
