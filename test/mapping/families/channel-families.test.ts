import { expect, test } from "vitest";
import {
  CHANNEL_FAMILIES,
  isBeyondLimit,
  MAPPED_LIMIT,
  MAPPED_VALUE,
} from "../../../src/mapping/families/channel-families.ts";
import type { Samples } from "../../../src/mapping/families/family.ts";
import type { ChannelServing } from "../../../src/mapping/rules/rule.ts";
import { UNCHANGED } from "../../../src/mapping/units/base-units.ts";
import { ALL_CHANNEL_FACTS, CHANNEL_FACTS, Channel, channelNumbers } from "../../../src/model/channel.ts";
import { NodeState, nodeTimes } from "../../../src/model/node-state.ts";
import { Projector } from "../../../src/projection/projector.ts";
import type { LimitName } from "../../../src/prtg/records.ts";
import { SeriesTable } from "../../../src/store/series-table.ts";
import { ROOT, record } from "../../model/build-record.ts";

test.each<[LimitName, number, number, boolean]>([
  ["max_error", 90, 90.1, true],
  ["max_error", 90, 90, false],
  ["max_error", 90, 0, false],
  ["max_warning", 0, -1, false],
  ["max_warning", 0, 0.001, true],
  ["min_error", 10, 9.9, true],
  ["min_error", 10, 10, false],
  ["min_error", 10, 11, false],
  ["min_warning", -5, -6, true],
])("%s %d with value %d: %s", (name, limit, value, expected) => {
  expect(isBeyondLimit(name, limit, value)).toBe(expected);
});

const FAMILY = { name: "f", type: "gauge", help: "", labels: ["channel", "last"] } as const;
const MAPPED = { ...FAMILY, baseUnit: undefined, ruleLabels: [], limits: FAMILY };
const SERVING: ChannelServing = {
  outcome: "mapped",
  rule: undefined,
  original: true,
  mapped: { family: MAPPED, labels: [], conversion: UNCHANGED },
};
const SENSOR = new NodeState(nodeTimes(), {
  ...record("sensor", "50", ROOT),
  ...{ inheritedTags: [], parentId: "0", unseen: [], orphan: false },
  ...{ path: "Berlin/sw-1/Load", probe: "Berlin", group: "", device: "sw-1", deviceId: "40" },
});

test.each<[string, Samples<Channel, ChannelServing>]>([
  ["value", CHANNEL_FAMILIES.channelValue],
  ["limit", CHANNEL_FAMILIES.channelLimit],
  ["state", CHANNEL_FAMILIES.channelState],
  ["mapped value", MAPPED_VALUE],
  ["mapped limit", MAPPED_LIMIT],
])("a renamed channel whose %s has expired frees the slot for another channel", (_, samples) => {
  const numbers = channelNumbers();
  const expiresAt = 10;
  const create = (name: string) => {
    const channel = new Channel(numbers, SENSOR, { channelId: name, name, unit: "" });
    channel.value = 1;
    channel.valueExpiresAt = expiresAt;
    channel.limits = { values: { max_error: 9 }, expiresAt };
    channel.lookup = { definition: { id: "l", name: "", entries: [] }, expiresAt };
    return channel;
  };
  const table = new SeriesTable(FAMILY);
  const projector = new Projector<Channel, ChannelServing>({
    server: "hq",
    families: [
      { ...samples, family: FAMILY, labelsOf: (_server, { name }) => (samples.lastLabel ? [name] : [name, ""]) },
    ],
    tables: { table: () => table },
    shardKey: () => 0,
    identity: CHANNEL_FACTS.identity,
  });
  const renamed = create("Load");
  projector.update(renamed, SERVING, ALL_CHANNEL_FACTS, 0);
  expect(table.size).toBe(1);
  table.expire(expiresAt);
  renamed.name = "CPU";
  projector.update(renamed, SERVING, CHANNEL_FACTS.identity, expiresAt);
  projector.update(create("Memory"), SERVING, ALL_CHANNEL_FACTS, 0);
  expect([table.size, table.slots]).toEqual([1, 1]);
});
