import { describe, expect, test } from "vitest";
import type { SelectRule } from "../../src/config/select-schema.ts";
import { TimeSlices } from "../../src/lib/yielding.ts";
import { NODE_KINDS } from "../../src/model/tree.ts";
import type { NodeRecord } from "../../src/prtg/node-record.ts";
import { channelFilters, sensorFilters } from "../../src/selection/list-filters.ts";
import { Selection } from "../../src/selection/selection.ts";
import { list, ROOT, record } from "../model/build-record.ts";
import { ManualClock } from "../support/manual-clock.ts";

const TREE = [
  record("probe", "1", ROOT, { name: "Berlin" }),
  record("group", "10", "1", { name: "Network" }),
  record("device", "40", "10", { name: "sw-1" }),
  record("device", "41", "1", { name: "host" }),
  record("sensor", "50", "40", { name: "Ping", tags: ["green"] }),
  record("sensor", "51", "41", { name: "Ping", tags: ["green"] }),
];

async function selecting(include: readonly SelectRule[], records: readonly NodeRecord[] = TREE): Promise<Selection> {
  const selection = new Selection({ include, exclude: [] });
  const slices = new TimeSlices(new ManualClock());
  for (const kind of NODE_KINDS) {
    const all = list(records.filter((each) => each.kind === kind));
    if (kind === "sensor") await selection.takeSensors(all, slices);
    else await selection.takeContainers(kind, all, slices);
  }
  return selection;
}

describe("filters for a server", () => {
  test.each<[string, SelectRule, { sensors: Record<string, string[]>; channels: Record<string, string[]> }]>([
    [
      "objects below a group",
      { kind: "id", id: "10" },
      {
        sensors: { descendants: ['descendants id = "10"'], parentid: ['parentid = "40"'] },
        channels: { descendants: ['descendants id = "10"'], parentid: ['parentid = "50"'] },
      },
    ],
    [
      "a sensor",
      { kind: "id", id: "51" },
      {
        sensors: { descendants: ['id = "51"'], parentid: ['id = "51"'] },
        channels: { descendants: ['parentid = "51"'], parentid: ['parentid = "51"'] },
      },
    ],
    [
      "sensors with a tag",
      { kind: "tag", tag: "green" },
      {
        sensors: { descendants: ['basic.tags contains "green"'], parentid: ['basic.tags contains "green"'] },
        channels: {
          descendants: ['parentid = "50" or parentid = "51"'],
          parentid: ['parentid = "50" or parentid = "51"'],
        },
      },
    ],
    [
      "sensors by path, with all sensors of their possible devices",
      { kind: "path", path: "Berlin/*/Ping" },
      {
        sensors: { descendants: ['parentid = "41"'], parentid: ['parentid = "41"'] },
        channels: { descendants: ['parentid = "51"'], parentid: ['parentid = "51"'] },
      },
    ],
    ["nothing", { kind: "id", id: "99" }, expectNothingBut('id = "99"')],
  ])("%s", async (_, rule, { sensors, channels }) => {
    const selection = await selecting([rule]);
    expect(byForm(sensorFilters(selection))).toEqual(sensors);
    expect(byForm(channelFilters(selection))).toEqual(channels);
  });

  test("split many objects into filters of limited length", async () => {
    const sensors = Array.from({ length: 300 }, (_, at) => record("sensor", `${9000 + at}`, "41"));
    const selection = await selecting([{ kind: "id", id: "1" }], [...TREE, ...sensors]);
    const { parentid = [] } = byForm(channelFilters(selection));
    expect(parentid.length).toBeGreaterThan(1);
    expect(Math.max(...parentid.map((filter) => encodeURIComponent(filter).length))).toBeLessThanOrEqual(4_000);
    expect(parentid.join(" or ").match(/parentid = "\d+"/g)).toHaveLength(302);
  });

  test("are absent if they cannot express a rule", async () => {
    expect(sensorFilters(await selecting([{ kind: "tag", tag: 'a"b' }]))).toEqual([]);
  });
});

function byForm(parts: ReturnType<typeof sensorFilters>): Record<string, readonly string[]> {
  return Object.fromEntries(parts.map(({ form, filters }) => [form, filters]));
}

function expectNothingBut(sensor: string) {
  return {
    sensors: { descendants: [sensor], parentid: [sensor] },
    channels: { descendants: [], parentid: [] },
  };
}
