import { type Simulator, type SimulatorOptions, startSimulator } from "prtg-simulator/src/simulator.ts";
import { createWorld } from "prtg-simulator/src/world/world.ts";
import { onTestFinished } from "vitest";
import { systemClock } from "../../src/lib/clock.ts";

const SMALL = { probes: 1, groups: 3, devices: 8, sensors: 30, channels: 90 };

export const CREDENTIALS = {
  /** Of the administrator. */
  apiKey: "the-right-key",
  username: "exporter",
  password: `pass wörd/"1\\`,
  readApiKey: "key-of-a-user-who-may-only-read",
  restrictedApiKey: "key-of-a-user-who-sees-a-part",
  limitedApiKey: "key-of-a-user-without-some-rights",
};

/** Ends with the test. The world begins at the time of `clock`, by default the system clock, which other processes use too. */
export async function simulateServer(options: Partial<SimulatorOptions> = {}): Promise<Simulator> {
  const { clock = systemClock } = options;
  const simulator = await startSimulator({
    world: createWorld({ seed: 1, size: SMALL, startedAt: clock.now() }),
    clock,
    spelling: "live",
    credentials: CREDENTIALS,
    ...options,
  });
  onTestFinished(() => simulator.close());
  return simulator;
}
