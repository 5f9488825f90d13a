import { resourceFromAttributes } from "@opentelemetry/resources";
import { RE2JS } from "re2js";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { statusEvent } from "../../src/events/event-records.ts";
import type { TreeNode } from "../../src/model/tree.ts";
import { logRecord } from "../../src/otlp/event-sink.ts";
import { STATUS_TOKENS } from "../../src/prtg/status.ts";
import {
  annotationsFrom,
  type Chosen,
  closedPanels,
  GRAFANA_DASHBOARDS,
  type GrafanaDashboard,
  type GrafanaPanel,
  interpolate,
  labelValues,
  optionOf,
  shownPanels,
  tableColumns,
  variablesIn,
} from "../support/grafana-dashboards.ts";
import { metricsWithPresets } from "../support/known-metrics.ts";
import { type PromqlLabels, promqlLabels } from "../support/promql-labels.ts";

/** Selectors without a name also find mapped metrics. */
const KNOWN_METRICS = await metricsWithPresets();
const CHANGE_METRIC = "prtg_sensor_status_since_timestamp_seconds";
const ALWAYS_PASSED = ["datasource", "job", "server", "probe", "group", "device"];
const GRID_WIDTH = 24;
const WITHOUT_STATUSES: ReadonlySet<string> = new Set(["PRTG / Exporter health", "PRTG / SLA", "PRTG / Capacity"]);
/** Down, partially down, acknowledged. */
const DOWN_STATUSES = 3;
const PICKED = { type: "prometheus", uid: "${datasource}" };

const OWN_VARIABLES = [
  ["__rate_interval", "5m"],
  ["__range", "6h"],
  ["__interval_ms", "60000"],
] as const;
const HOSTILE_NAMES = ["web `1` x", "`web`", 'a"b', "C:\\ O'Brien", "(a|b)*.[c]{2}$^/", "two\nlines"];

function parseable(expr: string, { templating }: GrafanaDashboard): string {
  const chosen = templating.list.map(({ name }) => [name, "a.b"] as const);
  return interpolate(expr, templating.list, new Map([...OWN_VARIABLES, ...chosen]));
}

/** Labels of queries that several tests look at. */
const analysed = new Map<string, PromqlLabels>();

function analysisOf(expr: string, dashboard: GrafanaDashboard): PromqlLabels {
  const text = parseable(expr, dashboard);
  const analysis = analysed.get(text) ?? promqlLabels(text, KNOWN_METRICS);
  analysed.set(text, analysis);
  return analysis;
}

function labelsOf(expr: string, dashboard: GrafanaDashboard): ReadonlySet<string> {
  return analysisOf(expr, dashboard).labels;
}

/** Panel texts with variables, except queries. */
function textsOf(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(textsOf);
}

function overlap({ gridPos: a }: GrafanaPanel, { gridPos: b }: GrafanaPanel): boolean {
  return a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
}

describe("labels of PromQL", () => {
  const known = new Map([
    ["a", ["job", "id", "name", "le"]],
    ["b", ["job", "id", "kind"]],
  ]);
  test.each([
    ["a", ["id", "job", "le", "name"], []],
    ["sum by (job, id) (a)", ["id", "job"], []],
    ["sum by (kind) (a)", ["kind"], ["grouping kind"]],
    ["sum without (le) (a)", ["id", "job", "name"], []],
    ["topk by (id) (3, a)", ["id", "job", "le", "name"], []],
    ["sum(a) / count(a) > 0", [], []],
    ["a * on (job, id) group_left (kind) b", ["id", "job", "kind", "le", "name"], []],
    ["a * on (job, kind) group_left (kind) b", ["id", "job", "kind", "le", "name"], ["left of matching kind"]],
    ["a * on (job) group_left (nme) b", ["id", "job", "le", "name", "nme"], ["joining nme"]],
    ["a and on (name) b", ["id", "job", "le", "name"], ["right of matching name"]],
    ["a / on (job, id) b", ["id", "job"], []],
    ["sum by (id) (a) or sum by (kind) (b)", ["id", "kind"], []],
    ["histogram_quantile(0.9, sum by (id, le) (rate(a[5m])))", ["id"], []],
    ["histogram_quantile(0.9, b)", ["id", "job", "kind"], ["histogram_quantile le"]],
    ['1 - max_over_time(b{id="{}", nme!="x"}[1h:1m])', ["id", "job", "kind"], ["b nme"]],
    ["c", [], ["metric c"]],
    ['{__name__=~"a|b",kind!=""}', ["__name__", "id", "job", "kind"], []],
    ['{__name__!~"c",kind=""}', ["__name__", "id", "job", "le", "name"], []],
    ['a or on (name) {kind!=""}', ["__name__", "id", "job", "kind", "le", "name"], ["right of matching name"]],
    ['{id="x",none!=""}', [], ["metric ", " none"]],
  ])("%s", (expr, labels, unknown) => {
    const found = promqlLabels(expr, known);
    expect([...found.labels].sort()).toEqual(labels);
    expect(found.unknown).toEqual(unknown);
  });

  test.each(["sum(", "a{b}", "rate(a[5m)"])("reject %s", (expr) => {
    expect(() => promqlLabels(expr, known)).toThrow("no PromQL");
  });
});

test("the folder has six dashboards", () => {
  expect(GRAFANA_DASHBOARDS.map(({ file }) => file)).toEqual([
    "prtg-capacity.json",
    "prtg-device.json",
    "prtg-explorer.json",
    "prtg-exporter-health.json",
    "prtg-overview.json",
    "prtg-sla.json",
  ]);
});

describe.each(GRAFANA_DASHBOARDS.map((dashboard) => [dashboard.title, dashboard] as const))(
  "%s",
  (_title, dashboard) => {
    const variables = dashboard.templating.list;
    const panels = shownPanels(dashboard);
    const targets = panels.flatMap((panel) =>
      panel.targets.map((target) => [`${panel.title} ${target.refId}`, panel, target] as const),
    );

    test("has a fixed address and a description", () => {
      expect(dashboard.uid).toBe(dashboard.file.replace(/\.json$/, ""));
      expect(dashboard).not.toHaveProperty("id");
      expect(dashboard.title).toMatch(/^PRTG \/ /);
      expect(dashboard.description).not.toBe("");
      expect(dashboard.tags).toContain("prtg");
      expect(dashboard.timezone).toBe("browser");
    });

    test("uses the picked data source only", () => {
      const [first] = variables;
      expect(first).toMatchObject({ name: "datasource", type: "datasource", query: "prometheus" });
      for (const { datasource } of [...panels.flatMap(({ targets }) => targets), ...variables.slice(1)]) {
        if (datasource !== undefined) expect(datasource).toEqual(PICKED);
      }
      for (const { title, datasource } of panels) expect(datasource, title).toEqual(PICKED);
    });

    test("declares exactly the variables that it uses", () => {
      const used = new Set(variablesIn(dashboard.text).filter((name) => !/^\d/.test(name)));
      expect([...used].sort()).toEqual(variables.map(({ name }) => name).sort());
    });

    test("uses only earlier variables in the query of each variable", () => {
      const settled = new Set<string>();
      for (const { name, description, query } of variables) {
        expect(description, name).not.toBe("");
        expect(
          variablesIn(JSON.stringify(query ?? "")).filter((used) => !settled.has(used)),
          name,
        ).toEqual([]);
        settled.add(name);
      }
    });

    test.each(variables.filter(({ type }) => type === "query").map((variable) => [variable.name, variable] as const))(
      "fills the variable %s with an existing label",
      (_name, variable) => {
        const query = labelValues(variable);
        if (query === undefined) throw new Error(`no label_values: ${JSON.stringify(variable.query)}`);
        const { labels, unknown } = analysisOf(query.selector, dashboard);
        expect(unknown).toEqual([]);
        expect(labels).toContain(query.label);
        // "All" must not expand to every sensor.
        if (variable.includeAll) expect(variable.allValue).toMatch(/^(\.\+|\(\?s:\.\*\))$/);
      },
    );

    test("matches multiple values and special characters by regular expressions", () => {
      for (const [title, , { expr }] of targets) {
        expect(expr.match(/(?<![~])="[^"]*\$/g), title).toBeNull();
        // All other quotes change server names.
        expect(expr.match(/="[^"]*\$\{?(probe|group|device|sensor|path|channel)\b/g), title).toBeNull();
      }
    });

    test.each(HOSTILE_NAMES)("has a valid query for an object called %j", (name) => {
      const chosen = new Map(
        variables.map((variable) => [variable.name, variable.regex === "" ? "a" : [name]] as const),
      );
      for (const [title, , { expr }] of targets) {
        const filled = interpolate(expr, variables, new Map<string, Chosen>([...chosen, ...OWN_VARIABLES]));
        expect(promqlLabels(filled, KNOWN_METRICS).unknown, title).toEqual([]);
      }
    });

    test("arranges its panels without gaps, each with a unique number", () => {
      for (const [index, panel] of dashboard.panels.entries()) {
        for (const other of dashboard.panels.slice(index + 1)) {
          expect(overlap(panel, other), `${panel.title} and ${other.title}`).toBe(false);
        }
      }
      const lines = Map.groupBy(
        dashboard.panels.filter(({ repeat }) => repeat === undefined),
        ({ gridPos }) => gridPos.y,
      );
      const tops = dashboard.panels.map(({ gridPos }) => gridPos.y);
      const bottoms = [0, ...dashboard.panels.map(({ gridPos }) => gridPos.y + gridPos.h)];
      expect(tops.filter((top) => !bottoms.includes(top))).toEqual([]);
      for (const line of lines.values()) {
        const width = line.reduce((sum, { gridPos }) => sum + gridPos.w, 0);
        expect([GRID_WIDTH, GRID_WIDTH / 2], line.map(({ title }) => title).join(", ")).toContain(width);
        expect(new Set(line.map(({ gridPos }) => gridPos.h)).size).toBe(1);
      }
      const ids = [...dashboard.panels, ...closedPanels(dashboard)].map(({ id }) => id);
      expect(new Set(ids).size).toBe(ids.length);
    });

    test.each(panels.map((panel) => [panel.title, panel] as const))("explains %s", (_panelTitle, panel) => {
      expect(panel.description).toMatch(/^[A-Z].{15,}\.$/);
      expect(panel.fieldConfig?.defaults.unit).toBeTruthy();
      expect(panel.fieldConfig?.defaults.noValue).toBeTruthy();
      expect(panel.targets.length).toBeGreaterThan(0);
      expect(new Set(panel.targets.map(({ refId }) => refId)).size).toBe(panel.targets.length);
      for (const target of panel.targets) expect(target.instant).not.toBe(target.range);
    });

    test.each(targets)("queries existing metrics and labels: %s", (_name, _panel, { expr }) => {
      expect(analysisOf(expr, dashboard).unknown).toEqual([]);
    });

    test.each(targets)("names series by existing labels: %s", (_name, _panel, { expr, legendFormat = "" }) => {
      const labels = labelsOf(expr, dashboard);
      const shown = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = ""]) => label);
      expect(shown.filter((label) => !labels.has(label))).toEqual([]);
    });

    test.each(panels.filter(({ type }) => type === "table").map((panel) => [panel.title, panel] as const))(
      "fills the columns of %s",
      (_panelTitle, panel) => {
        const columns = new Set(panel.targets.flatMap(({ expr }) => [...labelsOf(expr, dashboard)]));
        for (const { refId, format } of panel.targets) {
          expect(format).toBe("table");
          columns.add(panel.targets.length === 1 ? "Value" : `Value #${refId}`);
        }
        const { names, titles } = tableColumns(panel);
        expect(names.filter((name) => !columns.has(name))).toEqual([]);
        expect(Object.keys(titles)).toEqual(names);
        // Links and widths refer to the title.
        const overridden = (panel.fieldConfig?.overrides ?? []).map(({ matcher }) => String(matcher.options));
        expect(overridden.filter((title) => !Object.values(titles).includes(title))).toEqual([]);
        const linked = textsOf(panel.fieldConfig).flatMap((text) => [...text.matchAll(/__data\.fields\.(\w+)/g)]);
        expect(linked.filter(([, title = ""]) => !Object.values(titles).includes(title))).toEqual([]);
        // Grafana joins rows by common labels.
        const shared = panel.targets
          .map(({ expr }) => labelsOf(expr, dashboard))
          .reduce((all, labels) => all.intersection(labels));
        const ids = ["sensor_id", "device_id", "id", "collector", "server", "instance"];
        expect(ids.some((id) => shared.has(id))).toBe(true);
      },
    );

    test("shows a dash in empty cells, not the text for an empty table", () => {
      for (const panel of panels.filter(({ type }) => type === "table")) {
        const { titles } = tableColumns(panel);
        const dashed = (panel.fieldConfig?.overrides ?? [])
          .filter(({ properties }) => properties.some(({ id, value }) => id === "noValue" && value === "–"))
          .map(({ matcher }) => matcher.options);
        expect(dashed, panel.title).toEqual(Object.values(titles));
      }
    });

    test("shows percentages of channels on the right, other units on the left", () => {
      const ofUnits = panels
        .filter(({ type }) => type === "timeseries")
        .flatMap(({ fieldConfig }) => fieldConfig?.overrides ?? [])
        .map(({ properties }) => new Map(properties.map(({ id, value }) => [id, value])))
        .filter((properties) => properties.has("unit"));
      if (["prtg-device", "prtg-explorer"].includes(dashboard.uid)) expect(ofUnits.length).toBeGreaterThan(20);
      for (const properties of ofUnits) {
        const isShare = /^percent/.test(String(properties.get("unit")));
        expect(properties.get("custom.axisPlacement")).toBe(isShare ? "right" : undefined);
      }
    });

    test("shows whole numbers, not thousands with a letter", () => {
      expect(dashboard.text).not.toContain('"short"');
    });

    test("links each object of a table to its page in PRTG", () => {
      for (const panel of panels.filter(({ type }) => type === "table")) {
        const objects = tableColumns(panel).names.filter((name) => /^((sensor|device)_)?id$|^server$/.test(name));
        const isOfExporter = tableColumns(panel).names.includes("collector");
        if (objects.length === 0 || isOfExporter) continue;
        expect(textsOf(panel.fieldConfig), panel.title).toContain("Open in PRTG");
        expect(
          panel.targets.some(({ expr }) => expr.includes("prtg_exporter_server_web_info")),
          panel.title,
        ).toBe(true);
      }
    });

    test("shows numbers in one size, without a sparkline behind them", () => {
      for (const { title, options } of panels.filter(({ type }) => type === "stat")) {
        expect(options, title).toMatchObject({ graphMode: "none", text: { valueSize: 26 } });
      }
    });

    test("links to existing dashboards and variables", () => {
      const links = textsOf(dashboard.panels.map(({ fieldConfig }) => fieldConfig)).filter((text) =>
        text.startsWith("/d/"),
      );
      for (const link of links) {
        const [, uid = "", parameters = ""] = /^\/d\/([\w-]+)\?(.*)$/.exec(link) ?? [];
        const target = GRAFANA_DASHBOARDS.find((other) => other.uid === uid);
        const names = (target?.templating.list ?? []).map(({ name }) => name);
        const kept = [...parameters.matchAll(/\$\{(\w+):queryparam\}/g)].map(([, name]) => name);
        const set = [...parameters.matchAll(/var-(\w+)=/g)].map(([, name]) => name);
        expect([...kept, ...set].filter((name) => name === undefined || !names.includes(name))).toEqual([]);
        // Unnamed variables keep their value. Device links need all identifying ones.
        if (uid !== "prtg-overview") expect([...kept, ...set]).toEqual(expect.arrayContaining(ALWAYS_PASSED));
        expect(parameters).toContain("${__url_time_range}");
      }
    });

    test("marks status changes, and those in Loki only on request", () => {
      const marks = annotationsFrom("prometheus", dashboard);
      expect(marks.filter(({ expr }) => expr.includes(CHANGE_METRIC))).toHaveLength(2);
      for (const mark of marks) {
        expect(mark.datasource).toEqual(PICKED);
        expect(mark.useValueForTime).toBe(mark.expr.includes(CHANGE_METRIC));
        const { labels, unknown } = analysisOf(mark.expr, dashboard);
        expect(unknown).toEqual([]);
        const shown = [...`${mark.titleFormat} ${mark.textFormat}`.matchAll(/\{\{(\w+)\}\}/g)].map(
          ([, label]) => label,
        );
        const named = [...shown, ...mark.tagKeys.split(",")];
        expect(named.filter((label = "") => !labels.has(label))).toEqual([]);
      }
      expect(annotationsFrom("loki", dashboard).map(({ enable, datasource }) => ({ enable, datasource }))).toEqual([
        { enable: false, datasource: { type: "loki", uid: "${logs}" } },
      ]);
    });

    test("queries existing fields of events in Loki", () => {
      const { eventName, attributes } = eventTold();
      const marks = annotationsFrom("loki", dashboard);
      const held = closedPanels(dashboard).flatMap(({ targets: [target] }) => target?.expr ?? []);
      const shown = marks.map(({ titleFormat, tagKeys }) => `${titleFormat} ${tagKeys}`).join(" ");
      for (const expr of [...marks.map((mark) => mark.expr), ...held]) {
        const named = `${expr.replaceAll(/`[^`]*`|"[^"]*"/g, "")} ${shown}`.match(/(?:prtg|event)_\w+/g);
        expect(named?.filter((name) => !attributes.has(name))).toEqual([]);
        expect(expr).toContain(`event_name="${eventName}"`);
      }
    });

    test("queries the same events in Loki everywhere, only in a collapsed row", () => {
      expect(panels.filter(({ datasource }) => datasource?.type === "loki")).toEqual([]);
      const [annotation] = annotationsFrom("loki", dashboard);
      for (const { type, targets: held } of closedPanels(dashboard)) {
        expect(type).toBe("logs");
        for (const { expr } of held) expect(expr.startsWith(annotation?.expr ?? "none"), expr).toBe(true);
      }
    });

    test("uses the same colors for statuses everywhere", () => {
      const mappings = textsOf(dashboard.panels.map(({ fieldConfig }) => fieldConfig)).filter((text) => text === "Up");
      if (!WITHOUT_STATUSES.has(dashboard.title)) expect(mappings).not.toEqual([]);
      const pairs = new Set<string>();
      for (const options of statusMappings(dashboard.panels)) {
        const shown = Object.values(options).map(({ text, color }) => `${text} ${color}`);
        // Tables of down sensors know only these.
        expect([STATUS_TOKENS.length, DOWN_STATUSES]).toContain(shown.length);
        for (const pair of shown) pairs.add(pair);
      }
      expect([0, STATUS_TOKENS.length]).toContain(pairs.size);
      expect(new Set([...pairs].map((pair) => pair.split(" ").at(-1))).size).toBe(pairs.size);
    });
  },
);

describe("the device that a reader selects", () => {
  const { templating } = GRAFANA_DASHBOARDS.find(({ file }) => file === "prtg-device.json") ?? {
    templating: { list: [] },
  };
  const matcher = (name: string) => {
    const sensor = templating.list.find((variable) => variable.name === "sensor");
    const all = templating.list.map((variable) => [variable.name, "all"] as const);
    const chosen = new Map<string, Chosen>([...all, ["device", name]]);
    const filled = interpolate((sensor && labelValues(sensor)?.selector) ?? "", templating.list, chosen);
    return RE2JS.compile(/device=~`([^`]*)`/.exec(filled)?.[1] ?? "");
  };

  test.each(HOSTILE_NAMES.filter((name) => !name.startsWith("`")))("is found by its name %j", (name) => {
    expect(matcher(name).matches(name)).toBe(true);
    expect(matcher(name).matches(`${name}2`)).toBe(name.includes("`"));
    expect(matcher(name).matches("other")).toBe(false);
  });

  test("is not a longer or shorter one", () => {
    expect(matcher("web").matches("web2")).toBe(false);
    expect(matcher("web 1").matches("web")).toBe(false);
  });

  test("can be left out if its name begins with a backquote", () => {
    const device = templating.list.find(({ name }) => name === "device");
    expect(device && optionOf(device, "`web`")).toBeUndefined();
  });
});

describe("the overview", () => {
  const overview = GRAFANA_DASHBOARDS.find(({ file }) => file === "prtg-overview.json");
  const panels = overview?.panels ?? [];

  test("counts sensors from the series that the table of down sensors shows", () => {
    const tiles = panels.filter(({ title }) => ["Down", "Down (partial)", "Acknowledged"].includes(title));
    expect(tiles).toHaveLength(3);
    for (const { targets } of [...tiles, ...panels.slice(1, 2)])
      expect(targets[0]?.expr).toContain("prtg_sensor_status{");
  });

  test("shows marks only on request, because of thousands of sensors some always change", () => {
    expect(overview && annotationsFrom("prometheus", overview).map(({ enable }) => enable)).toEqual([false, false]);
  });

  test("begins with the outages, and leaves their sensors out of those that are down", () => {
    const [outages, sensors] = panels;
    expect(outages).toMatchObject({ title: "Outages", gridPos: { x: 0, y: 0, w: GRID_WIDTH } });
    for (const { expr } of sensors?.targets ?? []) {
      const left =
        'unless on (job, server, device_id) (prtg_outage_device_info{job=~"$job",server=~"$server",problem="down"}';
      expect(expr.split(left)).toHaveLength(2 * DOWN_STATUSES + 1);
    }
  });

  test("shows the sensors that are down below, the worst first", () => {
    const [, first] = panels;
    expect(first).toMatchObject({ title: "What is down", gridPos: { x: 0, w: GRID_WIDTH } });
    expect(first?.options.sortBy).toEqual([
      { displayName: "Status", desc: false },
      { displayName: "Priority", desc: true },
      { displayName: "Since", desc: true },
    ]);
    const [ranks] = statusMappings(first);
    expect(Object.entries(ranks ?? {}).map(([rank, { text }]) => `${rank} ${text}`)).toEqual([
      "1 Down",
      "2 Down (partial)",
      "3 Down (acknowledged)",
    ]);
  });

  test("has the messages of sensors that went down below", () => {
    const [, , row] = panels;
    expect(row).toMatchObject({ type: "row", title: "Messages of sensors that went down (Loki)" });
    expect(closedPanels({ ...overview, panels: [row] } as GrafanaDashboard)[0]?.targets[0]?.expr).toContain(
      'prtg_status_new=~"down|partialdown"',
    );
  });

  test("has a map with existing columns, colored by the share of sensors that are down or unknown", () => {
    const map = panels.find(({ type }) => type === "geomap");
    if (overview === undefined || map === undefined) throw new Error("no map");
    const values = map.targets.map(({ refId }) => `Value #${refId}`);
    const columns = new Set([...values, ...map.targets.flatMap(({ expr }) => [...labelsOf(expr, overview)])]);
    const { names, titles } = mapColumns.parse(Object.fromEntries(map.transformations.map((one) => [one.id, one])));
    expect(names.filter((name) => !columns.has(name))).toEqual([]);
    expect(Object.keys(titles)).toEqual(names);
    const { layers } = mapOptions.parse(map.options);
    expect(layers).toEqual([
      { location: { mode: "coords", latitude: "latitude", longitude: "longitude" }, color: "Down or unknown" },
    ]);
    expect(Object.values(titles)).toEqual(expect.arrayContaining(["latitude", "longitude", "Down or unknown"]));
    const overridden = (map.fieldConfig?.overrides ?? []).map(({ matcher }) => String(matcher.options));
    expect(overridden.filter((title) => !Object.values(titles).includes(title))).toEqual([]);
    expect(textsOf(map.fieldConfig)).toContain("Open in PRTG");
    // Rows of the three queries join by common labels.
    const shared = map.targets
      .map(({ expr }) => labelsOf(expr, overview))
      .reduce((all, labels) => all.intersection(labels));
    expect([...shared]).toEqual(expect.arrayContaining(["server", "id", "latitude", "longitude"]));
  });

  test("stacks the history of each status but up, the worst at the bottom", () => {
    const stacked = panels.filter((panel) => JSON.stringify(panel).includes('"mode":"normal"'));
    const statuses = stacked.map(({ targets }) =>
      targets.flatMap(({ expr }) => /status=~"([^"]+)"/.exec(expr)?.[1] ?? []),
    );
    expect(statuses.map(([worst]) => worst)).toEqual(["down", "warning"]);
    const matched = STATUS_TOKENS.filter((token) =>
      statuses.flat().some((text) => new RegExp(`^(${text})$`).test(token)),
    );
    expect(matched).toEqual(STATUS_TOKENS.filter((token) => token !== "up"));
  });
});

const mapColumns = z
  .object({
    merge: z.unknown(),
    convertFieldType: z.object({
      options: z.object({
        conversions: z.tuple([
          z.object({ targetField: z.literal("latitude"), destinationType: z.literal("number") }),
          z.object({ targetField: z.literal("longitude"), destinationType: z.literal("number") }),
        ]),
      }),
    }),
    filterFieldsByName: z.object({ options: z.object({ include: z.object({ names: z.array(z.string()) }) }) }),
    organize: z.object({ options: z.object({ renameByName: z.record(z.string(), z.string()) }) }),
  })
  .transform(({ filterFieldsByName, organize }) => ({
    names: filterFieldsByName.options.include.names,
    titles: organize.options.renameByName,
  }));

const mapOptions = z.object({
  layers: z.array(
    z
      .object({
        location: z.record(z.string(), z.string()),
        config: z.object({ style: z.object({ color: z.object({ field: z.string() }) }) }),
      })
      .transform(({ location, config }) => ({ location, color: config.style.color.field })),
  ),
});

/** In Loki's spelling. */
function eventTold(): { eventName: string; attributes: ReadonlySet<string> } {
  const names = { name: "Ping", path: "P/G/D/Ping", probe: "P", group: "G", device: "D", typeName: "Ping" };
  const sensor = { kind: "sensor", id: "50", deviceId: "40", priority: 3, tags: ["ping"], ...names };
  const change = {
    from: { status: "up", since: 1_000 },
    to: "down",
    at: 2_000,
    message: "Timeout",
    isInferred: false,
  } as const;
  const event = statusEvent(sensor as unknown as TreeNode, change, {
    server: "hq",
    now: 3_000,
    deviceOf: () => undefined,
  });
  const placed = { resource: resourceFromAttributes({}), attributes: event.attributes };
  const keys = Object.keys(logRecord(event, placed, { name: "test" }).attributes);
  return { eventName: event.eventName, attributes: new Set(keys.map((name) => name.replaceAll(".", "_"))) };
}

interface Appearance {
  readonly text: string;
  readonly color: string;
}

function statusMappings(value: unknown): Record<string, Appearance>[] {
  if (typeof value !== "object" || value === null) return [];
  const own =
    "type" in value && value.type === "value" && "options" in value && textsOf(value.options).includes("Down (partial)")
      ? [value.options as Record<string, Appearance>]
      : [];
  return [...own, ...Object.values(value).flatMap(statusMappings)];
}
