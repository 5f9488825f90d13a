import { ScenarioError } from "../../../packages/simulator/src/scenario/scenario-error.ts";
import { type Simulator, startSimulator } from "../../../packages/simulator/src/simulator.ts";
import type { World } from "../../../packages/simulator/src/world/model.ts";
import { createWorld, type WorldOptions } from "../../../packages/simulator/src/world/world.ts";
import { ExporterError } from "../../errors/exporter-error.ts";
import { systemClock } from "../../lib/clock.ts";
import type { ReportedServer } from "./from-report.ts";
import type { WorldFlags } from "./world-flags.ts";
import { loadScenario, scenarioInvalid } from "./world-flags.ts";

export interface ServiceAddress {
  readonly host: string;
  readonly port: number;
}

export interface ServiceCredentials {
  readonly apiKey: string;
  readonly username: string;
  readonly password: string;
}

export interface ServiceMode {
  /** Milliseconds since the epoch; undefined: now. */
  readonly startAt?: number | undefined;
  /** Simulated seconds per real second. */
  readonly speed?: number | undefined;
  /** From outside. */
  readonly control?: boolean | undefined;
  /** Names that break careless text building. */
  readonly hostileNames?: boolean | undefined;
  /** On the same address; undefined: none. */
  readonly classicPort?: number | undefined;
  /** Of a report: beats flags, but for sizes. */
  readonly reported?: ReportedServer | undefined;
}

/**
 * As the flags say, in the present unless `mode` says otherwise.
 * @throws ExporterError WORLD_IMPOSSIBLE, SCENARIO_INVALID, LISTEN_FAILED
 */
export async function startSimulatedServer(
  flags: WorldFlags,
  address: ServiceAddress,
  credentials: ServiceCredentials,
  mode: ServiceMode = {},
): Promise<Simulator> {
  const { seed, fault } = flags;
  const scenario = flags.scenario === undefined ? undefined : await loadScenario(flags.scenario);
  const { startAt, speed, control = false, hostileNames = false, classicPort, reported } = mode;
  const { spelling = flags.spelling, release = flags.release, version, defaultLimit, faults = [] } = reported ?? {};
  const world = createSizedWorld({
    seed,
    size: { ...reported?.size, ...flags },
    startedAt: startAt ?? systemClock.now(),
    plainNames: !hostileNames,
  });
  const options = { world, clock: systemClock, startAt, speed, control, scenario, credentials, classicPort };
  try {
    return await startSimulator({
      ...options,
      ...address,
      spelling,
      release,
      version,
      defaultLimit,
      faults: [...faults, ...fault],
    });
  } catch (error) {
    if (error instanceof ScenarioError) throw scenarioInvalid(error);
    if (!(error instanceof Error && "syscall" in error)) throw error;
    const port = "port" in error ? error.port : address.port;
    throw new ExporterError("LISTEN_FAILED", `cannot listen on ${address.host}:${port}`, {
      cause: error,
      remedy: "Choose another --listen-address or --classic-port, or stop the program that uses it.",
    });
  }
}

function createSizedWorld(options: WorldOptions): World {
  try {
    return createWorld(options);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new ExporterError("WORLD_IMPOSSIBLE", error.message);
  }
}
