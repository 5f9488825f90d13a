import { describe, expect, test } from "vitest";
import { entryOf, LOOKUP_TYPES, LOOKUPS, lookupById, lookupFor, lookupOf } from "../../../src/world/sensors/lookups.ts";
import { SENSOR_KINDS } from "../../../src/world/sensors/sensor-kinds.ts";
import { createWorld } from "../../../src/world/world.ts";
import { STARTED_AT } from "../fixtures.ts";

describe("lookups of channels", () => {
  test("cover all channels with codes, with a text for each code", () => {
    const world = createWorld({ seed: 3, size: { sensors: 600 }, startedAt: STARTED_AT });
    for (const channel of world.channels()) {
      const lookup = lookupOf(channel);
      expect(lookup !== undefined, `${channel.sensor.type} ${channel.name}`).toBe(channel.unitType === "VALUE_LOOKUP");
      const value = world.lastMeasurement(channel, STARTED_AT)?.displayValue;
      if (lookup === undefined || value === undefined || value === null) continue;
      expect(entryOf(lookup, value), `${lookup.id} ${value}`).toBeDefined();
    }
  });

  test("belong to sensor kinds of the world", () => {
    const used = [...SENSOR_KINDS.values()].flatMap(({ type, channels, repeated }) => {
      const templates = [...channels, ...(repeated?.templates ?? [])];
      return templates.flatMap(({ name, unit }) => {
        return lookupFor({ kind: type, name, unitType: unit.type })?.id ?? [];
      });
    });
    expect(new Set(used)).toEqual(new Set(LOOKUPS.map(({ id }) => id)));
  });

  test("are well-formed", () => {
    expect(new Set(LOOKUPS.map(({ id }) => id)).size).toBe(LOOKUPS.length);
    expect(new Set(LOOKUPS.map(({ type }) => type))).toEqual(new Set(LOOKUP_TYPES));
    for (const lookup of LOOKUPS) {
      expect(lookupById(lookup.id)).toBe(lookup);
      expect(entryOf(lookup, lookup.desiredValue)?.state).toBe("ok");
      const values = lookup.entries.map(({ value }) => value);
      expect(values).toEqual(values.toSorted((a, b) => a - b));
      for (const entry of lookup.entries) expect(entry.to !== undefined).toBe(lookup.type === "range");
      if (lookup.type === "boolean") expect(values).toEqual([0, 1]);
    }
  });

  test.each([
    ["prtg.simulated.certificate.keylength", 2048, "Good"],
    ["prtg.simulated.certificate.keylength", 3071, "Good"],
    ["prtg.simulated.certificate.keylength", 3072, "Very Good"],
    ["prtg.simulated.certificate.keylength", 99_999, undefined],
    ["prtg.simulated.door", 1, "Open"],
    ["prtg.simulated.door", 2, undefined],
  ])("%s gives %d the text %s", (id, value, text) => {
    const lookup = lookupById(id);
    expect(lookup === undefined ? undefined : entryOf(lookup, value)?.text).toBe(text);
  });
});
