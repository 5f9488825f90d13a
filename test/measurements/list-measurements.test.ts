import { describe, expect, test } from "vitest";
import { channelsBySensor, measurementsAfter as pointsOfGroup } from "../../src/measurements/list-measurements.ts";
import { medianSpacing } from "../../src/measurements/plan.ts";
import type { ChannelRecord } from "../../src/prtg/records.ts";

function channel(channelId: string, measuredAt: number | undefined, value: number | undefined = 1): ChannelRecord {
  return { sensorId: "7", channelId, name: "", unit: "", value, measuredAt, limits: undefined };
}

describe("channelsBySensor", () => {
  const groups = (...ids: string[]) =>
    [...channelsBySensor(ids.map((id, index) => ({ ...channel(String(index), 100), sensorId: id })))]
      .filter((group) => group !== undefined)
      .map(({ sensorId, channels }) => `${sensorId}: ${channels.map(({ channelId }) => channelId)}`);

  test.each([
    { ids: [], expected: [] },
    { ids: ["7"], expected: ["7: 0"] },
    { ids: ["9", "9", "7", "8", "8"], expected: ["9: 0,1", "7: 2", "8: 3,4"] },
    { ids: ["9", "7", "9", "8", "7"], expected: ["7: 1,4", "8: 3", "9: 0,2"] },
  ])("groups $ids as $expected", ({ ids, expected }) => {
    expect(groups(...ids)).toEqual(expected);
  });
});

describe("pointsAfter", () => {
  const pointsAfter = (list: readonly ChannelRecord[], after: number) =>
    pointsOfGroup({ sensorId: "7", channels: list }, after);

  test("groups channels of the same scan", () => {
    expect(pointsAfter([channel("0", 100, 5), channel("1", 100, 6)], 0)).toEqual([
      {
        at: 100,
        values: [
          ["0", 5],
          ["1", 6],
        ],
      },
    ]);
  });

  test("keeps each channel at its time, oldest first", () => {
    expect(pointsAfter([channel("0", 101, 5), channel("1", 100, 6)], 0)).toEqual([
      { at: 100, values: [["1", 6]] },
      { at: 101, values: [["0", 5]] },
    ]);
  });

  test("returns only times without a push", () => {
    const list = [channel("0", 101, 5), channel("1", 100, 6), channel("2", 101, 7)];
    expect(pointsOfGroup({ sensorId: "7", channels: list }, 0, false)).toEqual([
      { at: 100, values: [] },
      { at: 101, values: [] },
    ]);
  });

  test.each([
    { name: "was shown before", record: channel("0", 50) },
    { name: "has no value", record: { ...channel("0", 100), value: undefined } },
    { name: "was never measured", record: channel("0", undefined) },
  ])("omits a channel that $name", ({ record }) => {
    expect(pointsAfter([record], 50)).toEqual([]);
  });
});

describe("usualSpacing", () => {
  const spacing = (times: readonly number[]) => medianSpacing(times.map((at) => ({ at, values: [] })));

  test.each([
    { times: [0, 10, 20, 30], expected: 10 },
    { times: [0, 10, 500, 510, 520], expected: 10 },
    { times: [0, 10, 13, 20, 30, 40], expected: 10 },
    { times: [...Array(50).keys()].map((n) => n * 60).concat(3_000, 3_010, 3_020, 3_030, 3_040, 3_050), expected: 10 },
    { times: [0, 10, 20], expected: undefined },
    { times: [], expected: undefined },
  ])("gives $expected for $times", ({ times, expected }) => {
    expect(spacing(times)).toBe(expected);
  });
});
