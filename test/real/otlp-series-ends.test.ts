import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { describeWithPrograms } from "./support/programs.ts";
import type { Prometheus } from "./support/prometheus.ts";
import { LOOK_BACK, startPushedAndScraped } from "./support/pushed-and-scraped.ts";
import { measureEachMinute, PushingSite } from "./support/pushing-site.ts";

/** The test's simulated time stays in the past. */
const BEHIND = 3_600_000;
const LIMIT = { timeout: 60_000, interval: 100 };

describeWithPrograms(["prometheus-3"], "Prometheus 3 that gets data by OTLP only", (programs) => {
  let site: PushingSite;
  let pushed: Prometheus;
  /** Scrapes the same exporter. */
  let scraped: Prometheus;

  beforeAll(async () => {
    site = await PushingSite.start({
      size: { probes: 2, groups: 4, devices: 12, sensors: 60, channels: 240 },
      at: Date.now() - BEHIND,
      otlp: "protocol: http/protobuf",
      prepare: (prepared) => {
        const { world } = prepared;
        // The only one with lookups in so small a world.
        const kind = "paessler.certificate.ssl_certificate_sensor";
        world.addSensor(world.list("device")[0]?.id ?? "", "Certificate", prepared.at - BEHIND, kind);
        measureEachMinute(prepared);
        for (const [index, group] of world.list("group").entries()) world.rename(group.id, `Group ${index}`);
      },
    });
    ({ pushed, scraped } = await startPushedAndScraped(programs["prometheus-3"], site));
  });

  afterAll(async () => {
    await site?.close();
    await pushed?.stop();
    await scraped?.stop();
  });

  test("has the same number of series per family as a scrape", async () => {
    await expectSameCounts();
    const counts = await countsOf(scraped);
    expect(counts.get("prtg_sensor_status")).toBe(site.world.list("sensor").length);
    expect(counts.get("prtg_channel_state")).toBeGreaterThan(0);
    expect(counts.get("prtg_channel_value")).toBeGreaterThan(100);
  });

  test("has no value of a paused sensor and no old status", async () => {
    const { id } = site.measuredSensor();
    await expectEnds(
      [`prtg_channel_value{sensor_id="${id}"}`, `prtg_sensor_status{sensor_id="${id}",status="up"}`],
      () => site.world.pause(id, site.at),
    );
    expect(await statusesOf(id)).toEqual(["pausedbyuser"]);
    await expectSameCounts();

    // Later continues under the same labels.
    site.pass(5);
    await site.waitForTwoCycles();
    await expectEnds([`prtg_sensor_status{sensor_id="${id}",status="pausedbyuser"}`], () =>
      site.world.resume(id, site.at),
    );
    await expectSameCounts();
    expect(await pushed.seriesCount(`prtg_channel_value{sensor_id="${id}"}`)).toBeGreaterThan(0);
  });

  test("has no series under the old name of a group", async () => {
    const { parent: device } = site.measuredSensor(({ parent }) => parent?.parent?.kind === "group");
    const group = device?.parent;
    if (group === undefined || group === null) throw new Error("the world is too small");
    const old = `group="${group.name}"`;
    await expectEnds(
      [`prtg_channel_value{${old}}`, `prtg_sensor_status{${old}}`, `prtg_device_info{path=~".*${group.name}/.*"}`],
      () => site.world.rename(group.id, "Another group"),
    );
    await expectSameCounts();
  });

  test("has no series of a deleted sensor and device", async () => {
    const { id } = site.measuredSensor();
    const device = site.world
      .list("device")
      .find(({ children }) => children.length > 2 && children.every(({ id: of }) => of !== id));
    if (device === undefined) throw new Error("the world is too small");
    const sensors = device.children.map((sensor) => sensor.id);
    await expectEnds(
      [
        `{sensor_id="${id}"}`,
        `prtg_channel_value{sensor_id="${id}"}`,
        `{sensor_id=~"${sensors.join("|")}"}`,
        `{device_id="${device.id}"}`,
        `prtg_node_status_code{id="${device.id}"}`,
      ],
      () => {
        site.world.remove(id);
        site.world.remove(device.id);
      },
    );
    await expectSameCounts();
  });

  test("rejects nothing", () => {
    expect(site.relay.ends.get("prtg.channel_value")?.length).toBeGreaterThan(0);
    // Without a body, there is no partial success.
    expect(new Set(site.relay.requests.map(({ status, answer }) => `${status} ${answer}`))).toEqual(new Set(["200 "]));
  });

  /** They match before. Once the page lacks the series, the next push ends them. */
  async function expectEnds(selectors: readonly string[], change: () => void): Promise<void> {
    for (const selector of selectors) {
      expect(await pushed.seriesCount(selector), selector).toBeGreaterThan(0);
      expect(await scraped.seriesCount(selector), selector).toBeGreaterThan(0);
    }
    change();
    site.pass(1);
    await vi.waitFor(async () => {
      const now = await scraped.nextScrape();
      for (const selector of selectors) expect(await scraped.seriesCount(selector, now), selector).toBe(0);
    }, LIMIT);
    await nextPush();
    for (const selector of selectors) {
      expect(await pushed.seriesCount(selector), selector).toBe(0);
      const before = await pushed.query(`last_over_time(${selector}[${LOOK_BACK}])`);
      expect(before.length, selector).toBeGreaterThan(0);
    }
  }

  /** Waits for a push that starts after this call. */
  async function nextPush(): Promise<void> {
    const pushes = () => site.relay.points.get("prtg.up")?.length ?? 0;
    const begun = pushes();
    // One may be in flight, and a push's ends follow its values.
    await vi.waitFor(() => expect(pushes()).toBeGreaterThanOrEqual(begun + 3), LIMIT);
  }

  async function statusesOf(sensorId: string): Promise<(string | undefined)[]> {
    const found = await pushed.query(`prtg_sensor_status{sensor_id="${sensorId}"}`);
    return found.map(({ labels }) => labels.status);
  }

  /** A minute later: the last earlier measurement may have the old labels. */
  async function expectSameCounts(): Promise<void> {
    site.pass(1);
    await site.waitForTwoCycles();
    await vi.waitFor(async () => {
      const [ofPushed, ofScraped] = await Promise.all([countsOf(pushed, "sensor_id"), countsOf(scraped, "sensor_id")]);
      expect(Object.fromEntries(ofPushed)).toEqual(Object.fromEntries(ofScraped));
    }, LIMIT);
  }

  /** Series per family, optionally per sensor, which makes differences readable. */
  async function countsOf(prometheus: Prometheus, label?: "sensor_id"): Promise<Map<string, number>> {
    const by = label === undefined ? "__name__" : `__name__, ${label}`;
    const found = await prometheus.query(`count by (${by}) ({__name__=~"prtg_.+"})`);
    const nameOf = (labels: Readonly<Record<string, string>>) =>
      [labels.__name__, label && labels[label]].filter((part) => part !== undefined).join(" ");
    return new Map(
      found
        .map(({ labels, points }): [string, number] => [nameOf(labels), points[0]?.value ?? 0])
        .sort(([a], [b]) => (a < b ? -1 : 1)),
    );
  }
});
