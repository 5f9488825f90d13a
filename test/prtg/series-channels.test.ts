import { describe, expect, test } from "vitest";
import { SeriesChannels } from "../../src/prtg/time-series-reader.ts";
import { ManualClock } from "../support/manual-clock.ts";

const HOUR = 3_600_000;
const ids = (count: number): string[] => Array.from({ length: count }, (_, index) => `${index}`);

describe("parameter channels", () => {
  const channels = new SeriesChannels(new ManualClock());

  test.each([
    { why: "two channels", sensorId: "7", wanted: ["0", "-4"], value: "7.0,7.-4" },
    { why: "all", sensorId: "7", wanted: undefined, value: undefined },
    { why: "none, which would mean all", sensorId: "7", wanted: [], value: undefined },
    { why: "ids with a comma", sensorId: "7", wanted: ["0,1"], value: undefined },
    { why: "ids that an address cannot hold", sensorId: "7&x", wanted: ["0"], value: undefined },
    { why: "more than 40", sensorId: "7", wanted: ids(41), value: undefined },
    { why: "long ids", sensorId: "7", wanted: ids(20).map((id) => id.padStart(60, "1")), value: undefined },
  ])("is $value for $why", ({ sensorId, wanted, value }) => {
    expect(channels.valueFor(sensorId, wanted)).toBe(value);
  });

  test("has at most 40 ids and 1,000 characters", () => {
    expect(channels.valueFor("7", ids(40))?.split(",")).toHaveLength(40);
    const long = "1".repeat(496);
    expect(channels.valueFor("7", [long, `2${long}`])).toHaveLength(998);
    expect(channels.valueFor("7", [`333${long}`, `2${long}`])).toBeUndefined();
  });
});

test("the client remembers the last thousand sensors that refused channels", () => {
  const clock = new ManualClock();
  const channels = new SeriesChannels(clock);
  for (const id of ids(1_001)) channels.recordRefusal(id, `${id}.0`);
  expect(channels.valueFor("0", ["0"])).toBe("0.0");
  expect(channels.valueFor("1", ["0"])).toBeUndefined();
  expect(channels.valueFor("1000", ["0"])).toBeUndefined();
});

test("a sensor that refused channels gets them again after an hour", async () => {
  const clock = new ManualClock();
  const channels = new SeriesChannels(clock);
  channels.recordRefusal("7", "7.0");
  await clock.advance(HOUR - 1);
  expect(channels.valueFor("7", ["0"])).toBeUndefined();
  await clock.advance(1);
  expect(channels.valueFor("7", ["0"])).toBe("7.0");
});
