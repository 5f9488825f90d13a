import { loadContract } from "prtg-simulator/src/api/contract/contract.ts";
import { type ReleaseName, releaseOf, type SpellingName } from "prtg-simulator/src/release/release.ts";
import { type Simulator, startSimulator } from "prtg-simulator/src/simulator.ts";
import { createWorld } from "prtg-simulator/src/world/world.ts";
import { onTestFinished } from "vitest";
import { systemClock } from "../../../src/lib/clock.ts";
import { TEST_KEY } from "../../support/simulated-exporter.ts";

const STARTED_AT = Date.parse("2026-03-12T10:00:00Z");
const SIZE = { probes: 2, groups: 6, devices: 20, sensors: 60, channels: 240 };

export const SPELLINGS: readonly SpellingName[] = ["specification", "live"];

/** A simulator for calls of generated clients. Its first sensor is down. Ends with the test. */
export async function startGeneratorSite(spelling: SpellingName, release: ReleaseName): Promise<Simulator> {
  const world = createWorld({ seed: 1, size: SIZE, startedAt: STARTED_AT });
  const [sensor] = world.list("sensor");
  world.force(sensor?.id ?? "", "down", STARTED_AT);
  const credentials = { apiKey: TEST_KEY, username: "tester", password: "password-of-the-tests" };
  const time = { clock: systemClock, startAt: STARTED_AT, frozen: true, readyAfterMs: 0 };
  const simulator = await startSimulator({ world, spelling, release, control: true, credentials, ...time });
  onTestFinished(() => simulator.close());
  return simulator;
}

/** In snake case and sorted. */
export async function operationsOf(spelling: SpellingName, release: ReleaseName): Promise<readonly string[]> {
  const { operations } = await loadContract();
  const { has } = releaseOf(release, spelling);
  return operations
    .filter(({ availability }) => has(availability))
    .map(({ id }) => id.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`))
    .toSorted();
}
