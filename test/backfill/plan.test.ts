import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type PlanOptions, planSensors } from "../../src/backfill/plan.ts";
import { ChannelMapper, plainMapper } from "../../src/mapping/channel-mapper.ts";
import { compileRules } from "../../src/mapping/rules/compile.ts";
import { SeriesLabels } from "../../src/mapping/series-labels.ts";
import { reconcile } from "../../src/model/reconcile.ts";
import { EMPTY_TREE } from "../../src/model/tree.ts";
import { channel } from "../collectors/small-server.ts";
import { list, ROOT, record } from "../model/build-record.ts";

const { tree } = reconcile(EMPTY_TREE, {
  probe: list([record("probe", "1", ROOT, { name: "Berlin" })]),
  device: list([record("device", "40", "1", { name: "sw-1" })]),
  sensor: list([...["100", "9", "10"].map((id) => record("sensor", id, "40")), record("sensor", "8", "1")]),
});

function plan(channels: readonly string[], more: Partial<PlanOptions> = {}) {
  const records = channels.map((id) => channel(id, { name: `Channel ${id}` }));
  const options = { server: "hq", mapper: plainMapper(), extraLabels: undefined, selects: () => true };
  return planSensors(tree, records, { ...options, ...more }).sensors;
}

describe("plan of a backfill", () => {
  test("has selected sensors with channels, by number", () => {
    const channels = ["100.0", "8.0", "10.0", "99.0"];
    expect(plan(channels).map(({ id }) => id)).toEqual(["8", "10", "100"]);
    expect(plan(channels, { selects: ({ id }) => id !== "10" }).map(({ id }) => id)).toEqual(["8", "100"]);
  });

  test("has channels by number, and others by text after them, however the server lists them", () => {
    const ids = ["-4", "0", "01", "1", "2", "10", "#", "a", "b"];
    const lists = fc.shuffledSubarray(ids, { minLength: ids.length });
    fc.assert(
      fc.property(lists, (given) => {
        const [sensor] = plan(given.map((id) => `9.${id}`));
        expect(sensor?.channels.map(({ channelId }) => channelId)).toEqual(ids);
      }),
    );
  });

  test("has the device and the values of labels for a push, and their text for files", () => {
    const labels = ["hq", "9", "0", "Berlin", "", "sw-1", "sensor 9", "Channel 9.0", "%", "Berlin/sw-1/sensor 9"];
    const [pushed, ofProbe] = plan(["9.0", "8.0"]).toReversed();
    expect(pushed?.device).toMatchObject({ id: "40", name: "sw-1", path: "Berlin/sw-1" });
    expect(pushed?.channels).toEqual([{ channelId: "0", series: [{ family: 0, labels: JSON.stringify(labels) }] }]);
    expect(ofProbe).not.toHaveProperty("device");
    const [written] = plan(["9.0"], { extraLabels: [{ name: "site", value: "Berlin" }] });
    expect(written).not.toHaveProperty("device");
    expect(written?.channels[0]?.series[0]?.labels).toMatch(/^\{server="hq",sensor_id="9",.*,site="Berlin"\}$/);
  });

  test("keeps channels that rules drop without series, and leaves out sensors with nothing else", () => {
    const rules = [{ kind: "drop", match: { channel: "* 9.0" } }] as const;
    const { ruleSet } = compileRules([{ label: "test", isPreset: false, rules }], { byteUnits: "decimal" });
    const mapper = new ChannelMapper({ labels: new SeriesLabels(), rules: ruleSet });
    expect(plan(["9.0"], { mapper })).toEqual([]);
    const [sensor] = plan(["9.0", "9.1"], { mapper });
    expect(sensor?.channels.map(({ channelId, series }) => [channelId, series.length])).toEqual([
      ["0", 0],
      ["1", 1],
    ]);
  });
});
