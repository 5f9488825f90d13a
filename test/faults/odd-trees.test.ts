import { afterAll, describe, expect, test, vi } from "vitest";
import { everywhere, KINDS, MatrixSite } from "./support/fault-matrix.ts";
import { Random } from "./support/random.ts";

/** Simulated hours take seconds, over a minute on a busy machine. */
vi.setConfig({ testTimeout: 180_000 });

const SEED = 1;
/** Enough groups for over fifty levels. */
const deep = new MatrixSite({ probes: 1, groups: 54, devices: 56, sensors: 60, channels: 120 });
/** Enough channels for two pages of the smallest size. */
const long = new MatrixSite({ probes: 1, groups: 6, devices: 8, sensors: 90, channels: 840 });
afterAll(() => Promise.all([deep.close(), long.close()]));

describe("impossible tree", () => {
  const lists = (glob: string) => /(groups|devices|sensors|channels|^\*)$/.test(glob);
  test.each(KINDS.filter(({ text }) => text.startsWith("parents")))("$name", (kind) =>
    deep.disturb(everywhere(kind, new Random(SEED), lists)),
  );

  test("shows 54 nested groups with the full path, and recovers", async () => {
    const { clock, simulator, page } = await deep.exporter();
    simulator.faults.set(["parents=chain@*/groups"]);
    await clock.pass(65_000);
    const levels = async () => {
      const paths = [...(await page()).labelsOf("prtg_node_status_code", "path")];
      return Math.max(...paths.map((path) => path.split("/").length));
    };
    expect(await levels()).toBeGreaterThan(50);
    simulator.faults.clear();
    await clock.pass(65_000);
    expect(await levels()).toBeLessThan(10);
  });
});

describe("lists without readable records", () => {
  test.each(["large=20kB,arrays", "large=20kB,objects"])("remove nothing: %s", async (fault) => {
    const { clock, simulator, world, page } = await deep.exporter();
    const sensors = async () => (await page()).labelsOf("prtg_sensor_status_code", "sensor_id").size;
    const before = await sensors();
    expect(before).toBe(world.list("sensor").length);
    simulator.faults.set(["probes", "groups", "devices", "sensors", "channels"].map((list) => `${fault}@*/${list}`));
    await clock.pass(130_000);
    expect(await sensors()).toBe(before);
    expect((await page()).samples("prtg_channel_value").length).toBeGreaterThan(0);
    simulator.faults.clear();
    await clock.pass(65_000);
    expect(await sensors()).toBe(before);
  });
});

describe("shifting pages", () => {
  const channels = (glob: string) => glob.endsWith("channels");
  test.each(KINDS.filter(({ text }) => text.startsWith("moving-list")))("$name", async (kind) => {
    await long.disturb(everywhere(kind, new Random(SEED), channels));
    const moved = (await (await long.exporter()).page()).samples("prtg_exporter_api_lists_moved_total");
    expect(moved.reduce((sum, { value }) => sum + value, 0)).toBeGreaterThan(0);
  });
});
