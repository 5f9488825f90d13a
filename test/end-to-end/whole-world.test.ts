import { describe, expect, test } from "vitest";
import { expectedSeries } from "../support/expected-series.ts";
import { CLOCK_START } from "../support/manual-clock.ts";
import type { ParsedSample } from "../support/parse-sample.ts";
import { startSimulatedExporter } from "../support/simulated-exporter.ts";

const COMPARED = /^prtg_(sensor_status|sensor_status_code|channel_value|channel_state)\b/;

function differences(expected: Map<string, number>, served: Map<string, ParsedSample>): string[] {
  const found: string[] = [];
  for (const [key, value] of expected) {
    const sample = served.get(key);
    if (sample === undefined) found.push(`missing: ${key}`);
    else if (Number(sample.value) !== value) found.push(`${key} is ${sample.value}, not ${value}`);
  }
  for (const [key, { name }] of served) {
    if (COMPARED.test(name) && !expected.has(key)) found.push(`extra: ${key}`);
  }
  return found;
}

describe.each(["live", "specification"] as const)("whole world in the spelling of %s", (spelling) => {
  test.each([
    ["of the default size", {}],
    ["of the smallest size", { probes: 1, groups: 1, devices: 1, sensors: 1, channels: 3 }],
    ["of more pages than one", { probes: 5, groups: 60, devices: 400, sensors: 3_500, channels: 9_500 }],
  ])("the page has exactly the series and values of a world %s", async (_size, size) => {
    const running = await startSimulatedExporter({ size, simulator: { spelling } });
    try {
      const at = CLOCK_START;
      running.simulator.freezeAt(at);
      expect(await running.poll()).toBe(true);
      const expected = expectedSeries(running.simulator.world, "hq", at);
      // Only healthy ones have values.
      expect(expected.size).toBeGreaterThanOrEqual(2 * running.simulator.world.list("sensor").length);
      expect(differences(expected, await running.samples()).slice(0, 10)).toEqual([]);
    } finally {
      await running.close();
    }
  });
});
