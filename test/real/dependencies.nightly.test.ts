import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { dump, load } from "js-yaml";
import { type Simulator, startSimulator } from "prtg-simulator/src/simulator.ts";
import type { SimDevice } from "prtg-simulator/src/world/model.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { systemClock } from "../../src/lib/clock.ts";
import { TEST_KEY } from "../support/simulated-exporter.ts";
import { type Alertmanager, startAlertmanager } from "./support/alertmanager.ts";
import { createSites, type Site, type Sites } from "./support/dependent-sites.ts";
import { type ExporterProgram, startExporterProgram } from "./support/exporter-program.ts";
import { describeWithPrograms } from "./support/programs.ts";
import { Prometheus } from "./support/prometheus.ts";
import { shortened, shortenedRules } from "./support/shortened-rules.ts";

const EXAMPLE = fileURLToPath(new URL("../../deploy/alertmanager/alertmanager.yml", import.meta.url));
const SEED = 1;
const INCIDENTS = 100;
/** Sites where one dependent device dies alone. */
const SINGLES = 10;
/** A minute takes six seconds. */
const PART = 10;
const MINUTE_MS = 60_000 / PART;
/** Minutes in which losses begin. */
const BEGINS = 3;
/** Minutes that a loss lasts at most. */
const LONGEST = 10;
/** Minutes. PrtgDeviceDown is kept for 15, and what was held back must not come then. */
const OBSERVED = BEGINS + LONGEST + 15 + 3;

/** Of polls, scrapes and rules. */
const POLL = "2s";
/** Others have nothing to do here, and take most of the time. */
const RULES = /prtg_sensors?_down|prtg_dependency|prtg_links|^Prtg(Device|Dependency|Sensor)Down$/;
const METRICS = "prtg_(sensor_(status_code|info|interval.*|status_since.*)|device_info|dependency_info|up)";

const OFF = { enabled: false };
const COLLECTORS = {
  status: { schedule: POLL },
  tree: { schedule: "1m" },
  ...{ channels: OFF, limits: OFF, timeseries: OFF },
};

describeWithPrograms(["prometheus-3", "alertmanager"], `${INCIDENTS} lost core switches`, (programs) => {
  let folder: string;
  let world: Sites;
  let simulator: Simulator;
  let exporter: ExporterProgram;
  let prometheus: Prometheus;
  let alertmanager: Alertmanager;
  /** The same without the inhibition by PrtgDependencyDown. */
  let talkative: Alertmanager;
  /** Devices whose loss is to be told, by site. */
  const expected = new Map<Site, readonly SimDevice[]>();

  const lose = (devices: readonly SimDevice[], start: number, minutes: number) => {
    for (const { id } of devices) {
      world.world.addIncident(id, {
        start: Math.round(start),
        lengthMs: Math.round(minutes * MINUTE_MS),
        everyMs: Infinity,
        times: 1,
        effect: { kind: "status", status: "down", message: undefined },
      });
    }
  };

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "prtg-exporter-dependencies-"));
    const from = Date.now();
    world = createSites({ seed: SEED, sites: INCIDENTS + SINGLES, minuteMs: MINUTE_MS, from, to: from + 10 * 60_000 });
    simulator = await startSimulator({
      ...{ world: world.world, clock: systemClock, spelling: "specification" },
      credentials: { apiKey: TEST_KEY, username: "tester", password: "password-of-the-tests" },
    });
    exporter = await startExporterProgram({
      ...{ server: simulator.url, folder, service: "exporter", collectors: COLLECTORS },
      settings: { metrics: { dependency_info: true } },
    });
    await exporter.ready();
    [alertmanager, talkative] = (await Promise.all(
      [example(), exampleWithout("PrtgDependencyDown")].map((text) =>
        startAlertmanager(programs.alertmanager, (webhook) =>
          shortened(text, PART).replaceAll("http://127.0.0.1:9095", webhook),
        ),
      ),
    )) as [Alertmanager, Alertmanager];
    prometheus = await Prometheus.start({
      binary: programs["prometheus-3"],
      target: exporter.address,
      interval: POLL,
      scrapeJob: { metric_relabel_configs: [{ source_labels: ["__name__"], regex: METRICS, action: "keep" }] },
      config: {
        rule_files: await shortenedRules(folder, PART, {
          interval: POLL,
          only: RULES,
          change: shortenedHold,
        }),
        alerting: {
          alertmanagers: [{ static_configs: [{ targets: [alertmanager.address, talkative.address] }] }],
        },
      },
    });
    await prometheus.waitUntilScraped();
    begin();
    await sleep(OBSERVED * MINUTE_MS);
  });

  afterAll(async () => {
    await prometheus?.stop();
    await alertmanager?.stop();
    await talkative?.stop();
    await exporter?.kill();
    await simulator?.close();
    await rm(folder, { recursive: true, force: true });
  });

  function begin(): void {
    const { sites, large, random } = world;
    const now = Date.now() + 1_000;
    const between = (least: number, most: number) => least + (most - least) * random();
    for (const [index, site] of sites.entries()) {
      const start = now + between(0, BEGINS) * MINUTE_MS;
      const minutes = between(8, LONGEST);
      const { core, dependents, other } = site;
      if (index < INCIDENTS) {
        lose([core, ...dependents], start, minutes);
        const isOtherLost = random() < 0.4;
        if (isOtherLost) lose([other], now + between(0, BEGINS) * MINUTE_MS, minutes);
        expected.set(site, isOtherLost ? [core, other] : [core]);
      } else {
        lose(dependents.slice(0, 1), start, minutes);
        expected.set(site, dependents.slice(0, 1));
      }
    }
    // The worst moment: the target was just scanned.
    const { first, everyMs } = world.world.schedule(large.target);
    const scan = first + Math.ceil((now - first) / everyMs) * everyMs;
    lose([large.core, ...large.dependents], scan + 1, LONGEST);
    expected.set(large, [large.core]);
  }

  /** Alerts in notifications about devices of the site, one entry for each notification. */
  function told({ notifications }: Alertmanager, { core, dependents, other }: Site): string[] {
    const ids = new Set([core, other, ...dependents].map(({ id }) => id));
    return notifications
      .filter(({ status, groupLabels }) => status === "firing" && ids.has(groupLabels.device_id ?? ""))
      .map(({ alerts }) => alerts.map(({ labels }) => `${labels.device}: ${labels.alertname}`).join())
      .toSorted();
  }
  const wanted = (site: Site) => (expected.get(site) ?? []).map(({ name }) => `${name}: PrtgDeviceDown`).toSorted();

  test("cause one notification each, which names the switch", () => {
    const results = world.sites.slice(0, INCIDENTS).map((site) => [told(alertmanager, site), wanted(site)]);
    const wrong = results.filter(([found, right]) => found?.join() !== right?.join());
    expect(wrong.length, JSON.stringify(wrong)).toBeLessThanOrEqual(INCIDENTS / 100);
  });

  test("cause one notification with 500 devices behind the switch", () => {
    expect(told(alertmanager, world.large)).toEqual(wanted(world.large));
  });

  test("cause many notifications without the rule", () => {
    expect(told(talkative, world.large).length).toBeGreaterThan(250);
    const many = world.sites.slice(0, INCIDENTS).filter((site) => told(talkative, site).length > wanted(site).length);
    expect(many.length).toBeGreaterThan(10);
  });

  test("do not hide a single dead device", () => {
    const singles = world.sites.slice(INCIDENTS);
    expect(singles.map((site) => told(alertmanager, site))).toEqual(singles.map(wanted));
  });
});

function example(): string {
  return readFileSync(EXAMPLE, "utf8");
}

function exampleWithout(source: string): string {
  const config = load(example()) as { inhibit_rules: { source_matchers: string[] }[] };
  const rules = config.inhibit_rules.filter(({ source_matchers }) => !source_matchers.join().includes(source));
  expect(rules).toHaveLength(config.inhibit_rules.length - 1);
  return dump({ ...config, inhibit_rules: rules });
}

/** The hold of PrtgDependencyDown is in seconds. */
function shortenedHold(expr: string): string {
  return expr.replace(/300\s*\) \+ 90/, `${300 / PART}) + ${90 / PART}`);
}
