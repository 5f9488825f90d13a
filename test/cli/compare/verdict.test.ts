import { describe, expect, it, test } from "vitest";
import { factsOfChannel, factsOfSensor, judge, nameOf, type ObjectFacts } from "../../../src/cli/compare/verdict.ts";
import { plainMapper } from "../../../src/mapping/channel-mapper.ts";
import type { TreeNode } from "../../../src/model/tree.ts";
import type { ChannelRecord } from "../../../src/prtg/records.ts";
import { channel } from "../../collectors/small-server.ts";
import { record } from "../../model/build-record.ts";

const [T1, T2, T3] = ["2026-03-01T10:00:00.000Z", "2026-03-01T10:01:00.000Z", "2026-03-01T10:02:00.000Z"] as const;

function shown(time: string | undefined, value: string | undefined, more: Partial<ObjectFacts> = {}): ObjectFacts {
  const facts = [
    { kind: "unit", metric: "", text: "%" },
    { kind: "value", metric: "prtg_channel_value", text: value },
  ] as const;
  return { time, facts, ...more };
}

function sensor(status: string, time: string | undefined): ObjectFacts {
  return { time, facts: [{ kind: "status", metric: "", text: status }] };
}

const AGREES = { kind: "agrees", withheld: undefined };
const CHANGED = { kind: "changed" };

function differs(kind: string, served: string | undefined, own: string | undefined) {
  return { kind: "differs", differences: [expect.objectContaining({ kind, served, own })] };
}

describe("judge", () => {
  it("agrees if the page before or after has the same facts at the same time", () => {
    const [first, second] = [shown(T1, "5"), shown(T2, "6")];
    expect(judge(first, first, first)).toEqual(AGREES);
    expect(judge(first, first, second)).toEqual(AGREES);
    expect(judge(second, first, second)).toEqual(AGREES);
  });

  it("reports another value of the same measurement, also if the next one has replaced it", () => {
    expect(judge(shown(T1, "5"), shown(T1, "6"), shown(T1, "6"))).toEqual(differs("value", "6", "5"));
    expect(judge(shown(T1, "5"), shown(T1, "6"), shown(T2, "7"))).toEqual(differs("value", "6", "5"));
  });

  it("reports a value that one side lacks", () => {
    expect(judge(shown(T1, "5"), shown(T1, undefined), shown(T1, undefined))).toEqual(differs("value", undefined, "5"));
    expect(judge(shown(undefined, undefined), shown(T1, "5"), shown(T1, "5"))).toEqual(
      differs("value", "5", undefined),
    );
  });

  it("proves nothing about a measurement between both pages", () => {
    expect(judge(shown(T2, "5"), shown(T1, "6"), shown(T3, "7"))).toEqual(CHANGED);
  });

  it("reports a time that neither page has, outside of both", () => {
    expect(judge(shown(T1, "5"), shown(T2, "5"), shown(T2, "5"))).toEqual(differs("time", T2, T1));
    expect(judge(shown(T3, "5"), shown(T1, "5"), shown(T2, "5"))).toEqual(differs("time", T2, T3));
  });

  it("reports only the unit if it differs, because the metric depends on it", () => {
    const other = { ...shown(T1, "5"), facts: [{ kind: "unit", metric: "", text: "ms" }] } as const;
    expect(judge(other, shown(T1, "5"), shown(T1, "5"))).toEqual(differs("unit", "%", "ms"));
  });

  it("does not compare the value that the page withholds", () => {
    const paused = shown(T1, undefined, { withheld: "paused" });
    expect(judge(shown(T1, "5"), paused, paused)).toEqual({ kind: "agrees", withheld: "paused" });
  });

  it("compares statuses, with and without their time", () => {
    expect(judge(sensor("up", T1), sensor("down", T1), sensor("down", T1))).toEqual(differs("status", "down", "up"));
    expect(judge(sensor("up", undefined), sensor("down", T1), sensor("up", T2))).toEqual(AGREES);
    expect(judge(sensor("warning", undefined), sensor("down", T1), sensor("up", T2))).toEqual(CHANGED);
    expect(judge(sensor("up", T1), sensor("up", undefined), sensor("up", undefined))).toEqual(AGREES);
  });

  it("reports an object that only the page has", () => {
    expect(judge(undefined, sensor("up", T1), sensor("up", T1))).toEqual(differs("object", "served", "not found"));
    expect(judge(undefined, sensor("up", T1), undefined)).toEqual(CHANGED);
    expect(judge(sensor("up", T1), sensor("up", T1), undefined)).toEqual(CHANGED);
    expect(judge(sensor("up", T1), undefined, sensor("up", T1))).toEqual(CHANGED);
    expect(judge(undefined, undefined, sensor("up", T1))).toEqual(CHANGED);
  });
});

const AT = Date.UTC(2026, 2, 1, 10);
const SENSOR: TreeNode = {
  ...{ id: "50", kind: "sensor", name: "Uplink", parent: undefined, type: "ping", typeName: "Ping" },
  ...{ priority: 3, tags: [], favorite: false, host: undefined, intervalSeconds: 60 },
  ...{ path: "Berlin/Uplink", probe: "Berlin", group: "", device: "sw-1", deviceId: "40" },
  ...{ inheritedTags: [], parentId: "40", unseen: [], orphan: false },
};
const UNIT = { kind: "unit", metric: "", text: "%" };

function factsOf(more: Partial<ChannelRecord>) {
  return factsOfChannel(channel("50.0", more), { mapper: plainMapper(), server: "hq", sensor: SENSOR });
}

test("an object is named like its ids in PRTG", () => {
  expect(nameOf({ sensorId: "2490", channelId: undefined })).toBe("2490");
  expect(nameOf({ sensorId: "2490", channelId: "1" })).toBe("2490.1");
});

test("a sensor has its status and the time since when", () => {
  expect(factsOfSensor(record("sensor", "50", "40", { status: "down", statusSince: AT }))).toEqual({
    time: "2026-03-01T10:00:00.000Z",
    facts: [{ kind: "status", metric: "", text: "down" }],
  });
  expect(factsOfSensor(record("sensor", "50", "40")).time).toBeUndefined();
});

test("a channel has its unit and its value as on the page", () => {
  expect(factsOf({ value: 12.5, measuredAt: AT })).toEqual({
    time: "2026-03-01T10:00:00.000Z",
    facts: [UNIT, { kind: "value", metric: "prtg_channel_value", text: "12.5" }],
  });
});

test.each([
  { value: 12.5, measuredAt: undefined },
  { value: undefined, measuredAt: AT },
])("a channel has no value if value or time is missing: $value, $measuredAt", (more) => {
  const { facts } = factsOf(more);
  expect(facts).toContainEqual(UNIT);
  expect(facts.filter(({ kind, text }) => kind === "value" && text !== undefined)).toEqual([]);
});
