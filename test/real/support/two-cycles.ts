import { setTimeout as sleep } from "node:timers/promises";
import type { Simulator } from "prtg-simulator/src/simulator.ts";
import { expect, vi } from "vitest";
import type { OtlpRelay } from "./otlp-relay.ts";

/** Time for two polls and pushes on an idle machine. */
const TWO_CYCLES_MS = 2_500;
const LONG = { timeout: 60_000 };

/** Two polls and pushes at one-second schedules. */
export async function waitForTwoCycles(simulator: Simulator, relay: OtlpRelay): Promise<void> {
  const polls = () => simulator.requests.count({ route: "/experimental/channels", status: 200 });
  const pushes = () => relay.points.get("prtg.up")?.length ?? 0;
  const before = { polls: polls(), pushes: pushes() };
  await sleep(TWO_CYCLES_MS);
  await vi.waitFor(() => expect(polls()).toBeGreaterThanOrEqual(before.polls + 2), LONG);
  await vi.waitFor(() => expect(pushes()).toBeGreaterThanOrEqual(before.pushes + 2), LONG);
}
