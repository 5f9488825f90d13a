import type { SimDevice, SimSensor, World } from "prtg-simulator/src/world/model.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { objectCounts, servedValue } from "../support/expected-series.ts";
import { describeWithPrograms } from "./support/programs.ts";
import { Prometheus } from "./support/prometheus.ts";
import { type ScrapedExporter, startScrapedExporter } from "./support/scraped-exporter.ts";

/** Large enough for several small pages of sensors. */
const SIZE = { probes: 2, groups: 12, devices: 90, sensors: 1_000 };
/** Tree and status read the same lists. Without one, a poll reads each list once. */
const SETTINGS = "collectors: { status: { enabled: false } }";
/** Also the scrape timeout. A failed scrape makes everything stale, and a busy machine needed 1.5 s. */
const INTERVAL = "2s";

for (const generation of [2, 3] as const) {
  describeWithPrograms([`prometheus-${generation}`], `what vanishes, seen by Prometheus ${generation}`, (paths) => {
    let exporter: ScrapedExporter;
    let prometheus: Prometheus;
    let world: World;
    /** Time of the last good scrape and of all queries, Unix seconds. */
    let now: number;

    beforeAll(async () => {
      exporter = await startScrapedExporter({ size: SIZE, settings: SETTINGS });
      ({ world } = exporter.simulator);
      await exporter.poll();
      prometheus = await Prometheus.start({
        binary: paths[`prometheus-${generation}`],
        target: exporter.address,
        interval: INTERVAL,
        flags: ["--log.level=debug"],
      });
      now = await prometheus.waitUntilScraped();
    });

    afterAll(async () => {
      await prometheus?.stop();
      await exporter?.close();
    });

    test("deleted objects become stale after two complete polls and a scrape, not earlier", async () => {
      const device = measured(world.list("device")).find(({ children }) => children.length > 2);
      const sensor = measuredSensors().find(({ parent }) => parent !== device && (parent?.children.length ?? 0) > 1);
      if (device === undefined || sensor === undefined) throw new Error("the world is too small");
      const sensors = [...device.children, sensor].map(({ id }) => id);
      const selectors = [
        `{sensor_id=~"${sensors.join("|")}"}`,
        `prtg_channel_value{sensor_id="${sensor.id}"}`,
        `prtg_device_info{device_id="${device.id}"}`,
        `prtg_sensor_info{device_id="${device.id}"}`,
        `prtg_node_status_code{id="${device.id}"}`,
      ];
      const countAll = () => Promise.all(selectors.map((selector) => seriesCount(selector)));
      const before = await countAll();
      expect(Math.min(...before)).toBeGreaterThan(0);
      const servedBefore = await seriesCount("prtg_channel_value");
      const servedOfDeleted = await seriesCount(`prtg_channel_value${selectors[0]}`);

      world.remove(device.id);
      world.remove(sensor.id);
      expect(await poll()).toEqual({ worked: true, complete: true });
      expect(await countAll()).toEqual(before);

      expect(await poll()).toEqual({ worked: true, complete: true });
      expect(await countAll()).toEqual(selectors.map(() => 0));
      // Samples exist and are recent: only staleness markers hide them.
      const remembered = selectors.map((selector) => `last_over_time(${selector}[5m])`);
      const sizes = await Promise.all(remembered.map(async (query) => (await prometheus.query(query, now)).length));
      expect(Math.min(...sizes)).toBeGreaterThan(0);

      expect(await seriesCount("prtg_channel_value")).toBe(servedBefore - servedOfDeleted);
      expect(await seriesCount("prtg_sensor_status")).toBe(world.list("sensor").length);
      const [counted] = await prometheus.query('prtg_objects{kind="sensor"}', now);
      expect(counted?.points[0]?.value).toBe(objectCounts(world).get("sensor"));
    });

    /** A poll and the next scrape. `complete`: Prometheus' view. */
    async function poll(): Promise<{ worked: boolean; complete: boolean }> {
      const worked = await exporter.poll();
      now = await prometheus.nextScrape();
      const complete = await single('min(prtg_exporter_collector_complete{collector=~"tree|channels"})');
      return { worked, complete: complete === 1 };
    }

    function seriesCount(selector: string): Promise<number> {
      return prometheus.seriesCount(selector, now);
    }

    async function single(query: string): Promise<number | undefined> {
      const series = await prometheus.query(query, now);
      expect(series).toHaveLength(1);
      return series[0]?.points[0]?.value;
    }

    function measuredSensors(): SimSensor[] {
      const { at } = exporter;
      return world.list("sensor").filter((sensor) => {
        const served = sensor.channels.filter((channel) => servedValue(world, channel, at) !== undefined);
        return world.state(sensor, at).status === "up" && served.length === sensor.channels.length;
      });
    }

    /** Devices whose sensors all have values. */
    function measured(devices: readonly SimDevice[]): SimDevice[] {
      const sensors = new Set<unknown>(measuredSensors());
      return devices.filter(({ children }) => children.every((child) => sensors.has(child)));
    }
  });
}
