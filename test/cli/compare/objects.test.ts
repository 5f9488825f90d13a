import { expect, test } from "vitest";
import { factsOfChannel, factsOfSensor, nameOf } from "../../../src/cli/compare/objects.ts";
import { plainMapper } from "../../../src/mapping/channel-mapper.ts";
import type { TreeNode } from "../../../src/model/tree.ts";
import type { ChannelRecord } from "../../../src/prtg/records.ts";
import { channel } from "../../collectors/small-server.ts";
import { record } from "../../model/build-record.ts";

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
