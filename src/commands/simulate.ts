import type { Redactor } from "../errors/redactor.ts";
import type { ListenAddress } from "../http/listen-address.ts";
import { createContext } from "./context.ts";
import type { LogFlags } from "./flags.ts";
import { untilStopSignal } from "./signals.ts";
import { startSimulatedServer } from "./simulated-server.ts";
import type { WorldFlags } from "./world-flags.ts";

export interface SimulateFlags extends LogFlags, WorldFlags {
  readonly listenAddress: ListenAddress;
  readonly apiKey: string;
  readonly username: string;
  readonly password: string;
}

/** A monitoring server to build against: everything in memory, no data of anybody. Resolves with the exit code. */
export async function simulate(flags: SimulateFlags, redactor: Redactor): Promise<number> {
  const stopped = untilStopSignal();
  const context = createContext(flags, redactor);
  const { host = "0.0.0.0", port } = flags.listenAddress;
  const { apiKey, username, password } = flags;
  const simulator = await startSimulatedServer(flags, { host, port }, { apiKey, username, password });
  const { world } = simulator;
  context.print(
    `simulating ${world.list("sensor").length} sensors with ${world.channels().length} channels on ${simulator.url}/api/v2`,
  );
  context.print(
    `try: curl -H 'Authorization: Bearer ${apiKey}' '${simulator.url}/api/v2/experimental/sensors?limit=3'`,
  );
  await stopped;
  await simulator.close();
  return 0;
}
