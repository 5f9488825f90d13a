import { describe, expect, test } from "vitest";
import { startService } from "../support/running-service.ts";
import type { StaticWorld } from "../support/static-world.ts";

/** Changes that must invalidate the cache. */

const INCLUDES = "?include=path,intervalgroup,inheritance";

describe("cached JSON after a change", () => {
  test.each<[what: string, change: (world: StaticWorld) => void, path: string, expected: object]>([
    ["renamed sensor", (w) => w.rename("1001", "New"), "/sensors/1001", { name: "New", basic: { name: "New" } }],
    ["sensor of a channel renamed", (w) => w.rename("1001", "New"), "/channels/1001.1", { parent: { name: "New" } }],
    ["device of a sensor renamed", (w) => w.rename("100", "New"), "/sensors/1001", { parent: { name: "New" } }],
    [
      "group far above renamed",
      (w) => w.rename("10", "New"),
      `/sensors/1002${INCLUDES}`,
      { path: [{}, {}, { name: "New" }, {}, {}, {}] },
    ],
    [
      "group far above a channel renamed",
      (w) => w.rename("10", "New"),
      "/channels/1002.0?include=path",
      { path: [{}, {}, { name: "New" }, {}, {}, {}, {}] },
    ],
    [
      "device moved",
      (w) => w.move("101", "2"),
      `/sensors/1002${INCLUDES}`,
      {
        path: [{ id: "0" }, { id: "2" }, { id: "101" }, { id: "1002" }],
        basic: { parenttags: ["cisco", "net", "everything"] },
      },
    ],
    [
      "device moved, seen from a channel",
      (w) => w.move("101", "2"),
      "/channels/1002.0?include=path",
      { path: [{ id: "0" }, { id: "2" }, { id: "101" }, { id: "1002" }, { id: "1002.0" }] },
    ],
    [
      "tags of a group replaced",
      (w) => Object.assign(w.node("10") ?? {}, { tags: ["other"] }),
      "/sensors/1001",
      { basic: { parenttags: ["cisco", "other", "everything"] } },
    ],
    [
      "tag added to a group",
      (w) => w.node("10")?.tags.push("more"),
      "/sensors/1001",
      { basic: { parenttags: ["cisco", "net", "more", "everything"] } },
    ],
    [
      "priority",
      (w) => Object.assign(w.node("1001") ?? {}, { priority: 5 }),
      "/sensors/1001",
      { basic: { priority: "5" } },
    ],
    ["favorite", (w) => Object.assign(w.node("1001") ?? {}, { favorite: false }), "/sensors/1001", { favorite: false }],
    ["host", (w) => Object.assign(w.node("100") ?? {}, { host: "::1" }), "/devices/100", { basic: { host: "::1" } }],
    [
      "interval",
      (w) => Object.assign(w.node("1001") ?? {}, { intervalSeconds: 10 }),
      `/sensors/1001${INCLUDES}`,
      { intervalgroup: { interval: "10" } },
    ],
    [
      "channel renamed",
      (w) => Object.assign(w.channel("1001.1") ?? {}, { name: "New" }),
      "/channels/1001.1",
      { name: "New", basic: { name: "New" } },
    ],
    [
      "status",
      (w) => w.force("1001", "unusual", 0),
      "/sensors/1001",
      { status: "UNUSUAL", status_since: "1970-01-01T00:00:00Z" },
    ],
  ])("%s", async (_, change, path, expected) => {
    const { send, simulator } = await startService();
    await send("/experimental/objects?include=*");
    await send(path);
    change(simulator.world as StaticWorld);
    expect((await send(path)).json).toMatchObject(expected);
    const kind = path.split("/")[1];
    const query = path.includes("?") ? path.slice(path.indexOf("?")) : "";
    expect((await send(`/experimental/${kind}${query}`)).json).toContainEqual(
      expect.objectContaining((await send(path)).json),
    );
  });

  test("drops removed objects and includes added ones", async () => {
    const { ids, simulator } = await startService();
    expect(await ids("/experimental/channels")).toContain("1001.1");
    simulator.world.remove("100");
    const { id } = simulator.world.addSensor("101", "New", 0);
    expect(await ids("/experimental/sensors")).toEqual(["1002", "2000", id]);
    expect(await ids("/experimental/channels")).toEqual(["1002.0", "2000.3"]);
  });
});

test("a new measurement updates the record and its minimum and maximum", async () => {
  const { send, simulator } = await startService();
  const world = simulator.world as StaticWorld;
  const channel = world.channel("1001.1");
  const at = Date.UTC(2026, 2, 12, 18);
  await send("/channels/1001.1");
  if (channel !== undefined) world.measure(channel, { at, displayValue: 0.75, value: 93_750 });
  expect((await send("/channels/1001.1")).json).toMatchObject({
    last_measurement: {
      timestamp: "2026-03-12T18:00:00Z",
      value: 93_750,
      display_value: 0.75,
      minimum: 62_500,
      maximum: 93_750,
      average: 78_125,
    },
  });
});

test("one channel answers different includes in turn", async () => {
  const { send } = await startService();
  const keys = async (include: string) =>
    Object.keys((await send(`/channels/1000.0?include=${include}`)).json as object);
  expect(await keys("alerting")).toContain("alerting");
  expect(await keys("values")).not.toContain("alerting");
  expect(await keys("alerting,values")).toEqual(expect.arrayContaining(["alerting", "values"]));
  expect(await keys("")).not.toContain("values");
});
