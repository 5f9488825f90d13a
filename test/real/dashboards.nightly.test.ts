import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { load } from "js-yaml";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  annotationsFrom,
  type Chosen,
  DASHBOARDS,
  GRAFANA_DASHBOARDS,
  type GrafanaDashboard,
  interpolate,
  labelValues,
  shownPanels,
} from "../support/grafana-dashboards.ts";
import { parsePage } from "../support/parse-sample.ts";
import { RULE_FILES, RULES, type Rule } from "../support/rule-files.ts";
import { until } from "./support/delivery-site.ts";
import { type FailingSite, startFailingSite } from "./support/failing-site.ts";
import { describeWithPrograms } from "./support/programs.ts";
import { Prometheus, type Series } from "./support/prometheus.ts";
import { runProgram } from "./support/run-program.ts";

describeWithPrograms(["dashboard-schema"], "schema of the Grafana Foundation SDK", (programs) => {
  const check = (files: readonly string[]) => runProgram(programs["dashboard-schema"], files, "");
  const files = GRAFANA_DASHBOARDS.map(({ file }) => DASHBOARDS + file);

  test("has the version of the dashboards", () => {
    const read = (file: string) => readFileSync(new URL(`../../${file}`, import.meta.url), "utf8");
    const { dependencies } = JSON.parse(read("dashboards/package.json"));
    expect(read("test/real/programs/dashboard-schema/go.mod")).toContain(
      `grafana-foundation-sdk/go v${dependencies["@grafana/grafana-foundation-sdk"]}\n`,
    );
  });

  test("accepts every dashboard", async () => {
    const { code, stderr } = await check(files);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  });

  test.each([
    ["a field of the dashboard", '"schemaVersion"', '"schemaVersoin"', "schemaVersoin"],
    ["an option of a panel", '"graphMode"', '"graphMoed"', "graphMoed"],
    ["a field of a query", '"expr"', '"exrp"', "exrp"],
    ["the type of a value", '"w": 4', '"w": "4"', "gridPos"],
    ["a style of lines", '"lineWidth"', '"lineWitdh"', "lineWitdh"],
    ["a kind of panel", '"type": "stat"', '"type": "stats"', "stats"],
  ])("rejects a mistake in %s", async (_title, right, wrong, named) => {
    const folder = await mkdtemp(path.join(tmpdir(), "prtg-exporter-dashboard-"));
    const [overview = ""] = GRAFANA_DASHBOARDS.filter(({ file }) => file === "prtg-overview.json").map(
      ({ text }) => text,
    );
    expect(overview).toContain(right);
    const file = path.join(folder, "wrong.json");
    await writeFile(file, overview.replace(right, wrong));
    const { code, stderr } = await check([file]);
    await rm(folder, { recursive: true });
    expect(code).toBe(1);
    expect(stderr).toContain(named);
  });
});

const SENSORS = 160;
/** A push without time series is reported after three minutes. */
const WAIT_LIMIT_MS = 330_000;
const ROUND_MS = 2_000;
const CHANGE_LIMIT_MS = 100_000;
/** Grafana's minimum: four scrape intervals. */
const RATE_INTERVAL = "15s";
const RANGE_SECONDS = 60;

/**
 * Rules about a site that is lost and recovers (`notifications-of-outages.nightly.test.ts`), and about `prtg-exporter sync`
 * (deploy/prometheus/tests/sync.yml). Neither is in this test.
 */
const RULES_ELSEWHERE: ReadonlySet<string> = new Set([
  "server_outage:prtg_outage_rest:info",
  "server_outage:prtg_outage_grown:info",
  "PrtgOutage",
  "PrtgOutageMember",
  "instance:prtg_sync_last_success_timestamp_seconds:last1d",
  "PrtgSyncBehind",
]);
const RULES_HERE = RULES.filter(({ alert, record }) => !RULES_ELSEWHERE.has(alert ?? record ?? ""));

/** Repeated until it has an answer. */
interface Question {
  readonly name: string;
  readonly ask: () => Promise<readonly Series[]>;
}

describeWithPrograms(["prometheus-3", "promtool-3"], "Prometheus that scrapes a failing exporter", (programs) => {
  let folder: string;
  let site: FailingSite;
  let prometheus: Prometheus;
  const answered = new Set<string>();
  let devices: string[];

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "prtg-exporter-dashboards-"));
    site = await startFailingSite(SENSORS);
    prometheus = await Prometheus.start({
      binary: programs["prometheus-3"],
      target: site.address,
      // Must not count twice or break joins.
      scrapeJob: { static_configs: [{ targets: [site.address, site.limitedAddress] }] },
      data: await fullHours(folder, await site.page(), programs["promtool-3"]),
      config: { rule_files: await quickRules(folder) },
    });
    await prometheus.waitUntilScraped();
    await rename(site, prometheus);
    await locate(site, prometheus);
    devices = await devicesOf(prometheus);
    await trouble(site, prometheus);
    await askUntilAnswered();
  }, 2 * WAIT_LIMIT_MS);

  afterAll(async () => {
    await prometheus?.stop();
    await site?.close();
    await rm(folder, { recursive: true, force: true });
  });

  async function askUntilAnswered(): Promise<void> {
    const open = new Map(questions().map((question) => [question.name, question.ask]));
    const deadline = Date.now() + WAIT_LIMIT_MS;
    let isBroken = false;
    while (open.size > 0 && Date.now() < deadline) {
      for (const [name, ask] of open) {
        if (!(await ask()).some(({ points }) => points.some(({ value }) => Number.isFinite(value)))) continue;
        open.delete(name);
        answered.add(name);
      }
      // A stalled push must be detected first.
      if (answered.has("rule PrtgOtlpBehind") && !isBroken) {
        isBroken = true;
        site.receive("mixed");
        // The push then has values of the lists only.
        await site.control("faults", { fault: "missing@/experimental/timeseries/*" });
      }
      await sleep(ROUND_MS);
    }
  }

  function questions(): Question[] {
    return [
      ...GRAFANA_DASHBOARDS.flatMap((dashboard) => [
        ...targetsOf(dashboard).map(({ name, expr, instant }) => ({
          name,
          ask: () => run(filled(expr, dashboard), instant),
        })),
        ...annotationsOf(dashboard).map(({ name, expr }) => ({ name, ask: () => run(filled(expr, dashboard), false) })),
        ...variablesOf(dashboard).map(({ name, selector, label }) => ({
          name,
          ask: async () =>
            (await run(filled(selector, dashboard), true)).filter(({ labels }) => labels[label] !== undefined),
        })),
      ]),
      ...RULES_HERE.map((rule) => ({
        name: ruleName(rule),
        // The exporter did not exist an hour ago.
        ask: () =>
          rule.expr.includes("absent(")
            ? prometheus.query(rule.expr, Date.now() / 1000 - 3600)
            : run(sooner(rule), true),
      })),
      ...RULES_HERE.flatMap(({ record }) =>
        record === undefined ? [] : [{ name: `series ${record}`, ask: () => run(record, true) }],
      ),
    ];
  }

  function run(expr: string, instant: boolean): Promise<Series[]> {
    const end = Date.now() / 1000;
    return instant ? prometheus.query(expr) : prometheus.queryRange(expr, { start: end - RANGE_SECONDS, end, step: 5 });
  }

  /** Devices have no "All": lists every one. */
  function filled(expr: string, { templating }: GrafanaDashboard): string {
    const typed = templating.list.filter(({ type }) => type === "textbox").map(({ name }) => [name, ""] as const);
    const all = templating.list.filter(({ includeAll }) => includeAll).map(({ name }) => [name, "all"] as const);
    const chosen = new Map<string, Chosen>([
      ["__rate_interval", RATE_INTERVAL],
      ["__range", "2m"],
      ["__interval_ms", "5000"],
      ["device", devices],
      ...typed,
      ...all,
    ]);
    return interpolate(expr, templating.list, chosen);
  }

  describe.each(GRAFANA_DASHBOARDS.map((dashboard) => [dashboard.title, dashboard] as const))(
    "answers %s",
    (_title, dashboard) => {
      test.each(targetsOf(dashboard).map(({ name, expr }) => [name, expr] as const))("%s", (name, expr) => {
        expect(answered.has(name), filled(expr, dashboard)).toBe(true);
      });
      test.each(annotationsOf(dashboard).map(({ name, expr }) => [name, expr] as const))("%s", (name, expr) => {
        expect(answered.has(name), filled(expr, dashboard)).toBe(true);
      });
      test.each(variablesOf(dashboard).map(({ name }) => name))("%s", (name) => {
        expect(answered.has(name)).toBe(true);
      });
    },
  );

  test.each(RULES_HERE.map((rule) => [ruleName(rule), rule.expr] as const))("answers the %s", (name, expr) => {
    expect(answered.has(name), expr).toBe(true);
  });

  test.each(RULES_HERE.flatMap(({ record }) => record ?? []))("has recorded %s", (record) => {
    expect(answered.has(`series ${record}`)).toBe(true);
  });

  test("keeps all lines if exporters lack the address of the web interface", async () => {
    const linked = GRAFANA_DASHBOARDS.flatMap((dashboard) =>
      targetsOf(dashboard)
        .filter(({ expr }) => expr.includes(WEB_INFO))
        .map(({ name, expr }) => ({ name, expr: filled(expr, dashboard) })),
    );
    expect(linked.length).toBeGreaterThan(10);
    for (const { name, expr } of linked) {
      const now = await prometheus.waitUntilScraped();
      const [withAddress, without] = await Promise.all([
        prometheus.query(expr, now),
        prometheus.query(expr.replaceAll(WEB_INFO, "prtg_exporter_of_before"), now),
      ]);
      expect(new Set(withAddress.map(({ labels }) => labels.web_url)).has(""), name).toBe(false);
      expect(without.length, name).toBeGreaterThanOrEqual(withAddress.length > 0 ? 1 : 0);
      expect(without.filter(({ labels }) => labels.web_url !== undefined)).toEqual([]);
    }
  });

  test("ranks the sensors that are down by severity", async () => {
    const dashboard = GRAFANA_DASHBOARDS.find(({ file }) => file === "prtg-overview.json");
    const [target] = dashboard?.panels.find(({ title }) => title === "What is down")?.targets ?? [];
    if (dashboard === undefined || target === undefined) throw new Error("the overview has no such panel");
    const now = await prometheus.waitUntilScraped();
    const rows = await prometheus.query(filled(target.expr, dashboard), now);
    const statuses = await prometheus.query(
      'max by (sensor_id, status) (prtg_sensor_status{status=~".*down|ack.*"})',
      now,
    );
    const outsideOutages = await sensorsOutsideOutages(prometheus, now);
    const shown = rows.map(({ labels }) => `${labels.sensor_id} ${labels.severity}`);
    const single = statuses.filter(({ labels }) => outsideOutages.has(labels.sensor_id ?? ""));
    expect(single.length).toBeLessThan(statuses.length);
    const expected = single.map(({ labels }) => `${labels.sensor_id} ${SEVERITIES.get(labels.status ?? "")}`);
    expect(shown.toSorted()).toEqual(expected.toSorted());
    expect(new Set(rows.map(({ labels }) => labels.severity)).size).toBe(SEVERITIES.size);
    expect(rows.every(({ labels }) => labels.priority !== undefined && labels.device !== undefined)).toBe(true);
  });

  test("finds each device by its name, with any characters", async () => {
    const dashboard = GRAFANA_DASHBOARDS.find(({ file }) => file === "prtg-device.json");
    const sensors = labelValues(dashboard?.templating.list.find(({ name }) => name === "sensor") ?? NO_VARIABLE);
    expect(devices).toContain(ODD_NAME);
    for (const device of devices) {
      const chosen = new Map<string, Chosen>(
        (["job", "server", "probe", "group"] as const).map((name) => [name, "all"] as const),
      ).set("device", device);
      const expr = interpolate(sensors?.selector ?? "", dashboard?.templating.list ?? [], chosen);
      const found = await current(prometheus, `count by (device) (${expr})`);
      expect(found.map(({ labels }) => labels.device)).toEqual([device]);
    }
  });
});

const SEVERITIES = new Map([
  ["down", "1"],
  ["partialdown", "2"],
  ["acknowledged", "3"],
]);
const NO_VARIABLE = { name: "", type: "", label: "", description: "", multi: false, includeAll: false, regex: "" };

function targetsOf(dashboard: GrafanaDashboard): { name: string; expr: string; instant: boolean }[] {
  return shownPanels(dashboard).flatMap(({ id, title, targets }) =>
    targets.map(({ refId, expr, instant }) => ({ name: `${dashboard.title}: ${id} ${title} ${refId}`, expr, instant })),
  );
}

function annotationsOf(dashboard: GrafanaDashboard): { name: string; expr: string }[] {
  return annotationsFrom("prometheus", dashboard).map(({ name, expr }) => ({
    name: `${dashboard.title}: annotation ${name}`,
    expr,
  }));
}

function variablesOf(dashboard: GrafanaDashboard): { name: string; selector: string; label: string }[] {
  return dashboard.templating.list.flatMap((variable) => {
    const query = labelValues(variable);
    return query === undefined ? [] : [{ name: `${dashboard.title}: variable ${variable.name}`, ...query }];
  });
}

function ruleName({ record, alert, expr }: Rule): string {
  const twins = RULES.filter((rule) => rule.alert === alert && rule.record === record);
  const place = twins.findIndex((rule) => rule.expr === expr);
  return `rule ${alert ?? record}${place > 0 ? ` ${place + 1}` : ""}`;
}

/** Avoids hours of waiting, starred sensors, and a smaller license or exporter. */
function sooner({ expr }: Rule): string {
  const replaced = [
    ["> 4 * 3600", "> 600"],
    ["_held_back[5m]) == 1", "_held_back[5m]) == 0"],
    ["info > 0.95", "info > 0"],
    ["< 14 * 86400", "< 400 * 86400"],
    // Neither exporter uses a Lease. promtool tests that alert.
    ["(prtg_exporter_leader unless", "(0 * prtg_exporter_build_info unless"],
  ] as const;
  return ofEachSensor(replaced.reduce((text, [usual, here]) => text.replace(usual, here), expr));
}

/**
 * No simulated sensor has the tag of an objective or a service, and none with four stars needs to exceed a limit. Forecasts take
 * a minute of values, and all of these fall by one a second. Also in JSON.
 */
function ofEachSensor(rules: string): string {
  return rules
    .replaceAll("(.+,)?service:[^,]+(,.+)?", ".+")
    .replace("(?:.*?,)?service:([^,]+)(?:,.*)?", "(?:.*,)?([^,]+)")
    .replaceAll("[7d:1h]", "[1m:1s]")
    .replaceAll("< 366 * 86400", "< 1e18")
    .replaceAll(">= 24", ">= 2")
    .replaceAll("offset 1d", "offset 5s")
    .replaceAll(/> 1\.0\d \*/g, "> 0 *")
    .replaceAll(">= 20", ">= 1")
    .replaceAll("[1d]) < ", "[1d]) < 50 * ")
    .replaceAll("/ -(deriv(", "/ -(-1 + 0 * deriv(")
    .replace("(.+,)?slo(,.+)?", ".*")
    .replace(/\{severity=(\\?")critical\1\} >= bool 0/, "{severity!=$1$1} >= bool 0");
}

/** The rules with only these changes, evaluated every second. */
async function quickRules(folder: string): Promise<string[]> {
  return Promise.all(
    RULE_FILES.map(async (file) => {
      const { groups } = load(readFileSync(file, "utf8")) as { groups: Record<string, unknown>[] };
      const copy = path.join(folder, path.basename(file));
      await writeFile(
        copy,
        ofEachSensor(JSON.stringify({ groups: groups.map((group) => ({ ...group, interval: "1s" })) })),
      );
      return copy;
    }),
  );
}

/** Blocks with the recorded availability and service level of the last two full hours. */
async function fullHours(folder: string, page: string, promtool: string): Promise<string> {
  const ids = [...parsePage(page).values()]
    .filter(({ name }) => name === "prtg_sensor_status_code")
    .map(({ labels }) => labels.sensor_id ?? "");
  const hour = Math.floor(Date.now() / 3_600_000) * 3600;
  const lines = ["sum1h", "count1h"].flatMap((window) => [
    `# TYPE server_sensor:prtg_sensor_up:${window} gauge`,
    ...ids.flatMap((id) =>
      [hour - 3600, hour].map(
        (time) => `server_sensor:prtg_sensor_up:${window}{job="exporter",server="hq",sensor_id="${id}"} 60 ${time}`,
      ),
    ),
  ]);
  const levels = ["up", "down", "pausedbyuser"].flatMap((status) =>
    [hour - 3600, hour].map(
      (time) =>
        `${HOUR_OF_SERVICE}{job="exporter",server="hq",probe="P",group="G",service="shop",status="${status}"} 60 ${time}`,
    ),
  );
  lines.push(`# TYPE ${HOUR_OF_SERVICE} gauge`, ...levels);
  const text = path.join(folder, "hours.om");
  const data = path.join(folder, "data");
  await writeFile(text, `${lines.join("\n")}\n# EOF\n`);
  const { code, stderr } = await runProgram(promtool, ["tsdb", "create-blocks-from", "openmetrics", text, data], "");
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return data;
}

const HOUR_OF_SERVICE = "server_probe_group_service_status:prtg_sensors:sum1h";
const WEB_INFO = "prtg_exporter_server_web_info";
const ODD_NAME = `O'Brien's \`main\` "core" \\ switch (1+) [a|b]*?.^$ {x} /24`;

/** As of each target's last good scrape: after a timeout on a busy machine, a query about now finds only a part. */
async function current(prometheus: Prometheus, expr: string): Promise<Series[]> {
  return prometheus.query(expr, await prometheus.waitUntilScraped());
}

/** Ids of sensors whose device has no outage and is in none. The table *Outages* shows the others. */
async function sensorsOutsideOutages(prometheus: Prometheus, at: number): Promise<ReadonlySet<string>> {
  const [infos, members, own] = await Promise.all(
    [
      "prtg_sensor_info",
      'prtg_outage_device_info{problem="down"}',
      'prtg_outage_affected_sensors{kind="device",problem="down"}',
    ].map(async (expr) => (await prometheus.query(expr, at)).map(({ labels }) => labels)),
  );
  const lost = new Set([...(members ?? []).map((each) => each.device_id), ...(own ?? []).map(({ id }) => id)]);
  const outside = (infos ?? []).filter(({ device_id }) => !lost.has(device_id));
  return new Set(outside.map(({ sensor_id }) => sensor_id ?? ""));
}

/** Renames a device to text that breaks naive string building, and waits. */
async function rename(site: FailingSite, prometheus: Prometheus): Promise<void> {
  const [device] = await current(prometheus, "prtg_device_info");
  const { device_id = "" } = device?.labels ?? {};
  await site.control(`objects/${device_id}/rename`, { name: ODD_NAME });
  // Collectors use the new name at the next poll. The next scrape marks old series stale.
  const instance = `instance="${site.address}"`;
  // By id, because other devices may have the old name.
  const itsSensors = `on (sensor_id) prtg_sensor_info{${instance}, device_id="${device_id}"}`;
  const statuses = `prtg_sensor_status_code{${instance}} and ${itsSensors}`;
  await until("new name in the place of the old one", CHANGE_LIMIT_MS, async () => {
    const names = (await prometheus.query(statuses)).map(({ labels }) => labels.device);
    return names.length > 0 && names.every((name) => name === ODD_NAME);
  });
}

/** Gives a probe and a device a place on the map. */
async function locate(site: FailingSite, prometheus: Prometheus): Promise<void> {
  for (const kind of ["probe", "device"]) {
    const [node] = await current(prometheus, `prtg_node_status_code{kind="${kind}"}`);
    site.tag(node?.labels.id ?? "", ["geo:50.11_8.68"]);
  }
}

/** Of visible sensors: the exporter with a limited page keeps its first names. */
async function devicesOf(prometheus: Prometheus): Promise<string[]> {
  const counts = await current(prometheus, "count by (device) (prtg_sensor_status_code)");
  return counts.map(({ labels }) => labels.device ?? "");
}

/** Causes each kind of trouble that a panel or alert covers. */
async function trouble(site: FailingSite, prometheus: Prometheus): Promise<void> {
  const ids = async (expr: string) => (await current(prometheus, expr)).map(({ labels }) => labels.sensor_id ?? "");
  const [probe = ""] = (await current(prometheus, "topk(1, count by (probe) (prtg_sensor_status_code))")).map(
    ({ labels }) => labels.probe,
  );
  const beyond = async (limit: "max_error" | "max_warning") => {
    // An error limit must not hide the wanted warning.
    const others = limit === "max_warning" ? `unless on (sensor_id) prtg_channel_limit{limit=~".*error"}` : "";
    // In the faulty probe, because others must stay healthy.
    const ofProbe = `prtg_channel_limit{limit="${limit}", probe="${probe}"}`;
    let series: Series | undefined;
    await until(`${limit} of a channel`, CHANGE_LIMIT_MS, async () => {
      [series] = await prometheus.query(`${ofProbe} and on (sensor_id, channel_id) prtg_channel_value ${others}`);
      return series !== undefined;
    });
    const { sensor_id = "", channel_id = "" } = series?.labels ?? {};
    const to = (series?.points[0]?.value ?? 0) + 1;
    await site.control(`objects/${sensor_id}/set`, { channel: Number(channel_id), to });
    return sensor_id;
  };
  const taken = [await beyond("max_error"), await beyond("max_warning")];
  const up = await ids(`prtg_sensor_status_code{probe="${probe}"} == 3`);
  const [down = "", acknowledged = "", paused = "", partial = "", ...others] = up.filter((id) => !taken.includes(id));
  // More than a tenth of the probe, and no device as a whole.
  for (const id of others.filter((_, index) => index % 4 === 0))
    await site.control(`objects/${id}/force`, { status: "unknown" });
  await site.control(`objects/${down}/force`, { status: "down" });
  await site.control(`objects/${acknowledged}/force`, { status: "down" });
  await site.control(`objects/${acknowledged}/acknowledge`, { message: "On it" });
  await site.control(`objects/${paused}/pause`, {});
  await site.control(`objects/${partial}/force`, { status: "partialdown" });
  await killDevice(site, prometheus, probe, taken);
  const idle = await idleProbe(prometheus, taken, probe);
  const [back = ""] = (await current(prometheus, 'prtg_node_status_code{kind="probe"}'))
    .filter(({ labels }) => labels.path !== probe && labels.id !== idle)
    .map(({ labels }) => labels.id);
  // Until their next scan, sensors of a returned probe show their old state. Keep this for minutes.
  site.measureSeldom(back);
  // The exporter accepts the clock's jump after a minute.
  await site.control("scenarios", {
    name: "A probe without connection, and one that gets it back",
    steps: [
      { at: "+0s", select: { id: idle }, status: "disconnected" },
      { at: "+0s", select: { id: back }, status: "disconnected", for: "22m" },
    ],
  });
  // Jumps to the next scans, which bring values.
  await site.control("time/step", { by: "20m" });
  await site.control("time/resume");
  await loseDependency(site, prometheus, down, taken);
  for (const fault of ["error=500@*timeseries*#0.3", "latency=10ms-60ms@*channels*"]) {
    await site.control("faults", { fault });
  }
  await site.breakConfiguration();
}

/** The devices of sensors that must keep their trouble. */
function unlessDevicesOf(sensors: readonly string[]): string {
  return `unless on (device_id) prtg_sensor_info{sensor_id=~"${sensors.join("|")}"}`;
}

/** All sensors of a device go down, after one was flapping. */
async function killDevice(
  site: FailingSite,
  prometheus: Prometheus,
  probe: string,
  spared: readonly string[],
): Promise<void> {
  const instance = `instance="${site.address}"`;
  const counts = await current(
    prometheus,
    `topk(1, count by (device_id) (prtg_sensor_info{${instance}, priority=~"3|4|5"}
      and on (sensor_id) (prtg_sensor_status_code{${instance}, probe="${probe}"} == 3)) ${unlessDevicesOf(spared)})`,
  );
  const ids = (
    await current(prometheus, `prtg_sensor_info{${instance}, device_id="${counts[0]?.labels.device_id}"}`)
  ).map(({ labels }) => labels.sensor_id ?? "");
  const [flapping = ""] = ids;
  for (const status of ["down", "up", "down", "up", "down"]) {
    await site.control(`objects/${flapping}/force`, { status });
    const wanted = `server_sensor:prtg_sensor_down:bool{sensor_id="${flapping}"} == ${status === "down" ? 1 : 0}`;
    await until(
      `sensor ${flapping} ${status}`,
      CHANGE_LIMIT_MS,
      async () => (await prometheus.query(wanted)).length > 0,
    );
  }
  for (const id of ids) await site.control(`objects/${id}/force`, { status: "down" });
}

/** A device loses the sensor of another device that it depends on, and a sensor of its own. */
async function loseDependency(
  site: FailingSite,
  prometheus: Prometheus,
  sensorId: string,
  spared: readonly string[],
): Promise<void> {
  const instance = `instance="${site.address}"`;
  let device_id = "";
  let sensor_id = "";
  // After the jump of the clock, sensors are up again with their next scan.
  await until("a sensor is up", CHANGE_LIMIT_MS, async () => {
    const [dependent] = await current(
      prometheus,
      `prtg_sensor_info{${instance}} ${unlessDevicesOf([sensorId, ...spared])}
        and on (sensor_id) prtg_sensor_status_code == 3`,
    );
    ({ device_id = "", sensor_id = "" } = dependent?.labels ?? {});
    return device_id !== "";
  });
  site.dependOn(device_id, sensorId);
  await site.control(`objects/${sensor_id}/force`, { status: "down" });
}

/** A probe without other trouble. */
async function idleProbe(prometheus: Prometheus, sensors: readonly string[], busy: string): Promise<string> {
  const names = await Promise.all(
    sensors.map(
      async (id) => (await current(prometheus, `prtg_sensor_status_code{sensor_id="${id}"}`))[0]?.labels.probe,
    ),
  );
  const probes = await current(prometheus, 'prtg_node_status_code{kind="probe"}');
  const idle = probes.find(({ labels }) => labels.path !== busy && !names.includes(labels.path));
  if (idle === undefined) throw new Error(`no probe is idle: ${names.join(", ")}`);
  return idle.labels.id ?? "";
}
