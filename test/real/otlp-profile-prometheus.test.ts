import type { SimDevice } from "prtg-simulator/src/world/model.ts";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { describeWithPrograms } from "./support/programs.ts";
import type { Prometheus } from "./support/prometheus.ts";
import { startPushedAndScraped } from "./support/pushed-and-scraped.ts";
import { measureEachMinute, PushingSite } from "./support/pushing-site.ts";

const MINUTE = 60_000;
/** The test's simulated time stays in the past. */
const BEHIND = 60 * MINUTE;
const LIMIT = { timeout: 60_000, interval: 200 };

describeWithPrograms(["prometheus-3"], "Prometheus 3 that receives the profile otel", (programs) => {
  let site: PushingSite;
  let pushed: Prometheus;
  /** Scrapes the same exporter. */
  let scraped: Prometheus;

  beforeAll(async () => {
    site = await PushingSite.start({
      size: { probes: 1, groups: 4, devices: 12, sensors: 60, channels: 240 },
      at: Date.now() - BEHIND,
      otlp: "profile: otel",
      settings: "mapping: { presets: [ping, snmp-traffic] }",
      prepare: measureEachMinute,
    });
    ({ pushed, scraped } = await startPushedAndScraped(programs["prometheus-3"], site));
  });

  afterAll(async () => {
    await site?.close();
    await pushed?.stop();
    await scraped?.stop();
  });

  test("has the same number of series per name as a scrape", async () => {
    await expectSameCounts();
    const counts = await countsOf(pushed);
    expect(counts).toMatchObject({ prtg_sensor_status: site.world.list("sensor").length });
    for (const name of ["prtg_ping_seconds", "prtg_interface_traffic_bytes_per_second", "prtg_channel_value"]) {
      expect(counts[name], name).toBeGreaterThan(0);
    }
  });

  test("has an instance for each device, with its target_info", async () => {
    const found = await pushed.query(
      "prtg_sensor_status_code * on (job, instance) group_left (host_name, prtg_device_name) target_info",
    );
    expect(found).toHaveLength(site.world.list("sensor").length);
    const names = new Set(found.map(({ labels }) => labels.prtg_device_name));
    expect(names).toEqual(new Set(devicesWithSensors().map(({ name }) => name)));
    expect(new Set(found.map(({ labels }) => labels.instance)).size).toBe(devicesWithSensors().length);
  });

  test("has a moved sensor only on its new device, and nothing of a deleted device", async () => {
    const [from, to, deleted] = devicesWithSensors().filter(({ children }) => children.length > 2);
    const moved = from?.children[0];
    if (moved === undefined || to === undefined || deleted === undefined) throw new Error("the world is too small");
    const sensors = deleted.children.map(({ id }) => id).join("|");
    const ofDeleted = [`{instance=~".*/hq/${deleted.id}",__name__!="target_info"}`, `{prtg_sensor_id=~"${sensors}"}`];
    for (const selector of ofDeleted) expect(await pushed.seriesCount(selector)).toBeGreaterThan(0);
    site.world.move(moved.id, to.id, { at: site.at });
    site.world.remove(deleted.id);
    await expectSameCounts();
    for (const selector of ofDeleted) expect(await pushed.seriesCount(selector), selector).toBe(0);
    const instances = await pushed.query(`count by (instance) ({prtg_sensor_id="${moved.id}"})`);
    expect(instances.map(({ labels }) => labels.instance?.split("/").at(-1))).toEqual([to.id]);
  });

  test("continues the series of a renamed device without an end", async () => {
    const [device] = devicesWithSensors();
    if (device === undefined) throw new Error("the world is too small");
    const selector = `{instance=~".*/hq/${device.id}",__name__!="target_info"}`;
    // Status series end when the status changes: these stay up.
    for (const { id } of device.children) site.world.force(id, "up", site.at);
    await expectSameCounts();
    const [before, ends] = [await pushed.seriesCount(selector), countEnds(device)];
    expect(before).toBeGreaterThan(0);
    site.world.rename(device.id, "another name");
    await expectSameCounts();
    expect(await pushed.seriesCount(selector)).toBe(before);
    expect(await pushed.seriesCount('target_info{host_name="another name"}')).toBe(1);
    expect(countEnds(device)).toBe(ends);
  });

  test("rejects nothing", () => {
    expect(new Set(site.relay.requests.map(({ status, answer }) => `${status} ${answer}`))).toEqual(new Set(["200 "]));
  });

  function devicesWithSensors(): SimDevice[] {
    return site.world.list("device").filter(({ children }) => children.length > 0);
  }

  function countEnds({ children }: SimDevice): number {
    const sensors = new Set<string | undefined>(children.map(({ id }) => id));
    const ends = [...site.relay.ends.values()].flat();
    // At least the deleted device's sensors.
    expect(ends.some(({ attributes }) => attributes["prtg.sensor.id"] !== undefined)).toBe(true);
    return ends.filter(({ attributes }) => sensors.has(attributes["prtg.sensor.id"])).length;
  }

  /** A minute later, because the last measurement may belong to the old device. */
  async function expectSameCounts(): Promise<void> {
    for (let minute = 0; minute < 2; minute++) {
      site.pass(1);
      await site.waitForTwoCycles();
    }
    await vi.waitFor(async () => {
      const [ofPushed, ofScraped] = await Promise.all([pushed, scraped].map(countsOf));
      expect(ofPushed).toEqual(ofScraped);
    }, LIMIT);
  }

  async function countsOf(prometheus: Prometheus): Promise<Record<string, number>> {
    const found = await prometheus.query('count by (__name__) ({__name__=~"prtg_.+"})');
    const counts = found.map(({ labels, points }) => [labels.__name__ ?? "", points[0]?.value ?? 0] as const);
    return Object.fromEntries(counts.sort(([a], [b]) => (a < b ? -1 : 1)));
  }
});
