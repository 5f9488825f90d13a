import { listenAddressOf, type ServiceFlags } from "prtg-simulator/src/command/flags.ts";
import { introduce, StartError, startService } from "prtg-simulator/src/command/start.ts";
import type { Simulator } from "prtg-simulator/src/simulator.ts";
import { createContext, type LogFlags } from "../../app/context.ts";
import { ExporterError } from "../../errors/exporter-error.ts";
import type { Redactor } from "../../errors/redactor.ts";
import { stopSignal } from "../signals.ts";
import { reportedServer } from "./from-report.ts";

export interface SimulateFlags extends LogFlags, ServiceFlags {
  readonly fromReport?: string;
}

export async function simulate(flags: SimulateFlags, redactor: Redactor): Promise<number> {
  const stopped = stopSignal();
  const context = await createContext(flags, redactor);
  const reported = flags.fromReport === undefined ? undefined : await reportedServer(flags.fromReport);
  const simulator = await startSimulatedServer(flags, listenAddressOf(flags), flags, { ...flags, reported });
  for (const line of introduce(simulator, flags)) context.print(line);
  await stopped;
  await simulator.close();
  return 0;
}

/** @throws ExporterError WORLD_IMPOSSIBLE, SCENARIO_INVALID, LISTEN_FAILED */
export async function startSimulatedServer(...args: Parameters<typeof startService>): Promise<Simulator> {
  try {
    return await startService(...args);
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    const { code, message, cause, remedy } = error;
    throw new ExporterError(code, message, remedy === undefined ? { cause } : { cause, remedy });
  }
}
