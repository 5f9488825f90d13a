import { onTestFinished } from "vitest";
import { systemClock } from "../../src/lib/clock.ts";
import { type Simulator, type SimulatorOptions, startSimulator } from "../../src/simulator/simulator.ts";
import { createWorld } from "../../src/simulator/world/world.ts";

const SMALL = { probes: 1, groups: 3, devices: 8, sensors: 30, channels: 90 };

export const CREDENTIALS = {
  apiKey: "the-right-key",
  username: "exporter",
  password: `pass wörd/"1\\`,
  restrictedApiKey: "key-of-a-user-who-sees-a-part",
  limitedApiKey: "key-of-a-user-without-some-rights",
};

/** A small simulated monitoring server that ends with the test. */
export async function simulateServer(options: Partial<SimulatorOptions> = {}): Promise<Simulator> {
  const simulator = await startSimulator({
    world: createWorld({ seed: 1, size: SMALL, startedAt: Date.now() }),
    clock: systemClock,
    spelling: "live",
    credentials: CREDENTIALS,
    ...options,
  });
  onTestFinished(() => simulator.close());
  return simulator;
}
