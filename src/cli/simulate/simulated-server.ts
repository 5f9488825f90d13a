import { StartError, startService } from "../../../packages/simulator/src/command/start.ts";
import type { Simulator } from "../../../packages/simulator/src/simulator.ts";
import { ExporterError } from "../../errors/exporter-error.ts";

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
