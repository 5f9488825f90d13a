import { expect, test, vi } from "vitest";
import { FaultDeck } from "./support/disturbance.ts";
import { TIMEOUT_MS } from "./support/exporter-with-faults.ts";
import { faultKinds } from "./support/fault-catalogue.ts";
import { MatrixSite } from "./support/fault-matrix.ts";
import { Random } from "./support/random.ts";

/** Simulated hours take seconds, over a minute on a busy machine. */
vi.setConfig({ testTimeout: 180_000 });

const ROUNDS = 12;

test.each([1, 2, 3])("the page stays correct under single and mixed faults: seed %i", async (seed) => {
  const site = new MatrixSite({ probes: 1, groups: 8, devices: 10, sensors: 12, channels: 30 });
  const { clock, page } = await site.exporter();
  const deck = new FaultDeck(new Random(seed), faultKinds(TIMEOUT_MS));
  const resources = process.getActiveResourcesInfo().length;
  for (let round = 0; round < ROUNDS; round++) {
    const scrapes = Array.from({ length: 5 }, async (_, index) => {
      await clock.sleep(7_000 * index);
      await page(index % 2 === 0 ? "text" : "openmetrics");
    });
    await site.disturb([deck.next()]);
    await Promise.all(scrapes);
  }
  expect(clock.pending.length, "timers that are left").toBeLessThan(15);
  expect(process.getActiveResourcesInfo().length - resources, "handles that are left").toBeLessThan(10);
  await site.close();
});
