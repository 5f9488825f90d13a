import { describe, expect, test } from "vitest";
import { KIND_TABLE } from "../../src/world/sensors/known-kinds.ts";
import { SENSOR_KINDS } from "../../src/world/sensors/sensor-kinds.ts";
import { createWorld } from "../../src/world/world.ts";
import { STARTED_AT } from "./fixtures.ts";

const SENSORS = createWorld({ seed: 1, startedAt: STARTED_AT }).list("sensor");

/** Without a version, as the table of kinds has it. */
function idOf(type: string): string {
  return type.replace(/\.\d+$/, "");
}

describe("kinds of the default world", () => {
  test("have the shares of the data set: each within 2 percentage points, all together within 25", () => {
    const counts = Map.groupBy(SENSORS, ({ type }) => idOf(type));
    const deviations = [...KIND_TABLE.values()]
      .filter(({ evidence }) => evidence === "open-dataset")
      .map(({ id, share = 0 }) => [id, Math.abs((counts.get(id)?.length ?? 0) / SENSORS.length - share)] as const);
    expect(deviations).toHaveLength(76);
    for (const [id, deviation] of deviations) expect(deviation, id).toBeLessThan(0.02);
    expect(deviations.reduce((sum, [, deviation]) => sum + deviation, 0)).toBeLessThan(0.25);
  });

  test("are in the table of kinds, like all kinds for new sensors", () => {
    const types = [...SENSORS.map(({ type }) => type), ...SENSOR_KINDS.keys()];
    expect([...new Set(types)].filter((type) => !KIND_TABLE.has(idOf(type)))).toEqual([]);
  });
});

describe("names of channels", () => {
  test("are German below one probe if the table has them, and English elsewhere", () => {
    const probes = Map.groupBy(SENSORS, probeOf);
    const german = [...probes].map(([probe, sensors]) => {
      const names = sensors.flatMap(({ channels }) => channels.map(({ name }) => name));
      return [
        probe,
        names.filter((name) => /^(Freie|Freier|Ping-Zeit|Antwortzeit|Fehler|Verfügbarer)/.test(name)).length > 100,
      ];
    });
    expect(german.filter(([, isGerman]) => isGerman)).toEqual([["Zürich Probe", true]]);
  });
});

function probeOf(sensor: (typeof SENSORS)[number]): string {
  let node = sensor.parent;
  while (node !== undefined && node.kind !== "probe") node = node.parent;
  return node?.name ?? "";
}
