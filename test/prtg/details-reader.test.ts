import { describe, expect, test } from "vitest";
import { noProblems } from "../../src/prtg/decode/values.ts";
import { decodeAutodiscovery, readConnected, readLicense } from "../../src/prtg/details-reader.ts";

const NOTHING = { used: undefined, max: undefined, expiresAt: undefined };
const END = Date.parse("2027-03-01T00:00:00Z");

describe("license", () => {
  test.each([
    [{ sensors_allowed: 5000, sensors_used: 2600, valid_until: "2027-03-01T00:00:00Z" }],
    [{ license: { MaxSensors: "5000", UsedSensors: "2600" }, maintenance: { expiryDate: "2027-03-01T00:00:00Z" } }],
    [{ sensor: { sensor_count_current: 2600, sensor_limit: 5000 }, expires_at: "2027-03-01T00:00:00Z" }],
    [{ sensors_allowed: "5'000", sensors_used: "2,600", valid_until: "2027-03-01T00:00:00Z" }],
  ])("is found under any member names: %j", (answer) => {
    expect(readLicense(answer)).toEqual({ used: 2600, max: 5000, expiresAt: END });
  });

  test("has no limit if none is set", () => {
    expect(readLicense({ sensors_allowed: null, sensors_used: 12 })).toEqual({ ...NOTHING, used: 12 });
  });

  test.each([[null], [[]], ["text"], [{}], [{ used: 4, max: 5, valid_until: "soon" }], [{ sensors_used: -1 }]])(
    "gives nothing without information: %j",
    (answer) => expect(readLicense(answer)).toEqual(NOTHING),
  );

  test("has limits of depth and size", () => {
    let deep: object = { sensors_used: 1 };
    for (let depth = 0; depth < 50; depth++) deep = { inner: deep };
    expect(readLicense(deep)).toEqual(NOTHING);
    const wide = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`member${index}`, {}]));
    expect(readLicense({ ...wide, sensors_used: 1 })).toEqual(NOTHING);
  });
});

test.each([
  [{ connected: true }, true],
  [{ probe: { id: "1", connected: "0" } }, false],
  [{ is_connected: 1 }, true],
  [{ connection_status: "Disconnected" }, false],
  [{ connectionState: "CONNECTED" }, true],
  [{ disconnected: true }, undefined],
  [{ connected: "2026-03-01T00:00:00Z" }, undefined],
  [[], undefined],
])("the connection of a probe: %j", (answer, expected) => expect(readConnected(answer)).toBe(expected));

test.each([
  [{ id: "7", active: true }, true],
  [{ id: 7, active: false }, false],
  [{ id: "7", status: "running" }, true],
  [{ id: "7", status: "finished" }, false],
  [{ id: "7" }, true],
])("an auto-discovery: %j", (record, isRunning) => {
  expect(decodeAutodiscovery(record, noProblems())).toEqual({ id: "7", isRunning });
});

test("a record without an id is no auto-discovery", () => {
  const problems = noProblems();
  expect(decodeAutodiscovery({ active: true }, problems)).toBeUndefined();
  expect(problems.record).toBe(1);
});
