import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  addExtraLabel,
  type BackfillParameters,
  parameterDifferences,
  parseExtraLabel,
  parseTimeFlag,
  refuseTakenNames,
  resolveTimeFlag,
} from "../../src/backfill/parameters.ts";
import { sensorFilter } from "../../src/backfill/plan.ts";
import { pathGlob } from "../../src/lib/glob.ts";
import { reconcile } from "../../src/model/reconcile.ts";
import { EMPTY_TREE } from "../../src/model/tree.ts";
import { list, ROOT, record } from "../model/build-record.ts";
import { configured } from "./running.ts";

describe("parseTimeFlag", () => {
  const NOW = Date.UTC(2026, 2, 12, 17, 0, 0, 750);

  test.each([
    ["2026-03-01T00:00:00Z", Date.UTC(2026, 2, 1)],
    ["2026-03-01T01:30:00+01:30", Date.UTC(2026, 2, 1)],
    ["2026-03-01T00:00:00.999Z", Date.UTC(2026, 2, 1)],
    ["30d", Date.UTC(2026, 1, 10, 17)],
    ["1d12h", Date.UTC(2026, 2, 11, 5)],
    ["0s", Date.UTC(2026, 2, 12, 17)],
  ])("%s", (text, at) => {
    expect(resolveTimeFlag(parseTimeFlag(text), NOW)).toBe(at);
  });

  test.each(["", "yesterday", "30", "-3h", "3 h", "2026-03-01", "2026-02-30T00:00:00Z", "2026-13-01T00:00:00Z", "now"])(
    "rejects %s",
    (text) => {
      expect(() => parseTimeFlag(text)).toThrow("Give a time such as 2026-03-01T00:00:00Z");
    },
  );
});

describe("parseExtraLabel", () => {
  test.each([
    ["job=prtg", { name: "job", value: "prtg" }],
    ["instance=localhost:9705", { name: "instance", value: "localhost:9705" }],
    ["a=b=c", { name: "a", value: "b=c" }],
    ['a= "\n', { name: "a", value: ' "\n' }],
  ])("%s", (text, label) => {
    expect(parseExtraLabel(text)).toEqual(label);
  });

  test.each(["job", "=prtg", "1a=b", "a-b=c", "__name__=x", "ä=b", "a b=c"])("rejects %s", (text) => {
    expect(() => parseExtraLabel(text)).toThrow("Give a name and a value");
  });

  test("rejects a label without value, which Prometheus would drop", () => {
    expect(() => parseExtraLabel("job=")).toThrow("Give job a value");
  });

  test("rejects a repeated name", () => {
    const labels = addExtraLabel([], parseExtraLabel("job=prtg"));
    expect(() => addExtraLabel(labels, parseExtraLabel("job=other"))).toThrow("The label job is given twice.");
  });
});

describe("refuseTakenNames", () => {
  const families = [
    { name: "prtg_channel_value", type: "gauge", help: "", labels: ["server", "sensor_id", "host_name"] },
    { name: "prtg_ping_seconds", type: "gauge", help: "", labels: ["server", "sensor_id", "site"] },
  ] as const;

  test.each([
    ["server", "prtg_channel_value"],
    ["host_name", "prtg_channel_value"],
    ["site", "prtg_ping_seconds"],
  ])("rejects %s, which %s has", (name, family) => {
    const labels = ["job=prtg", `${name}=x`].map(parseExtraLabel);
    expect(() => refuseTakenNames(labels, families)).toThrow(
      `--label ${name}: ${family} already has a label with that name`,
    );
  });

  test("accepts names of omitted and renamed labels", () => {
    expect(() => refuseTakenNames(["device=x", "job=prtg"].map(parseExtraLabel), families)).not.toThrow();
  });
});

describe("seriesSettings", () => {
  const RULES =
    "rules: [{ match: { kind: ping }, name: ping_seconds, help: Time., unit: seconds }, { match: { channel: Downtime }, drop: true }]";
  const fingerprints = async (sections: string) => (await configured(sections)).configured;

  test.each([
    ["", "mapping: { keep_original: false, byte_units: decimal }"],
    ["labels: { keep: wide }", "labels: {}"],
    ["labels: { keep: [device, path] }", "labels: { keep: [path, device] }"],
    [
      "labels: { rename: { device: host_name, path: place } }",
      "labels: { rename: { path: place, device: host_name } }",
    ],
    [
      "mapping: { rules: [{ match: { kind: a, channel: b }, drop: true }] }",
      "mapping: { rules: [{ drop: true, match: { channel: b, kind: a } }] }",
    ],
    ["mapping: { presets: [ping, cpu, base-units] }", "mapping: { presets: [base-units, ping, cpu] }"],
  ])("are the same for %j and %j", async (one, other) => {
    expect(await fingerprints(one)).toEqual(await fingerprints(other));
  });

  test("differ if the series differ", async () => {
    const labels = [
      "{}",
      "{ keep: ids }",
      "{ keep: [device] }",
      "{ rename: { device: host_name } }",
      "{ from_tags: [{ tag: 'site:*', label: site }] }",
    ];
    const mappings = [
      "{}",
      `{ ${RULES} }`,
      `{ ${RULES}, keep_original: false }`,
      `{ ${RULES}, byte_units: decimal }`,
      `{ ${RULES}, presets: [ping] }`,
      `{ ${RULES.replace("Time.", "Times.")} }`,
    ];
    const ofLabels = await Promise.all(labels.map((section) => fingerprints(`labels: ${section}`)));
    const ofMappings = await Promise.all(mappings.map((section) => fingerprints(`mapping: ${section}`)));
    expect(new Set(ofLabels.map((each) => each.labels)).size).toBe(labels.length);
    expect(new Set(ofLabels.map((each) => each.mapping)).size).toBe(1);
    expect(new Set(ofMappings.map((each) => each.mapping)).size).toBe(mappings.length);
    expect(new Set(ofMappings.map((each) => each.labels)).size).toBe(1);
  });
});

describe("pathGlob", () => {
  test.each([
    ["Berlin/**", "Berlin/Switches/core 1/Ping", true],
    ["Berlin/**", "Berlin", false],
    ["Berlin/**", "Old Berlin/Switches/Ping", false],
    ["Berlin/*/Ping", "Berlin/core/Ping", true],
    ["Berlin/*/Ping", "Berlin/Switches/core/Ping", false],
    ["**/Ping", "Berlin/Switches/core/Ping", true],
    ["**Ping v?", "Berlin/core/Ping v2", true],
    ["**Ping v?", "Berlin/core/Ping v", false],
    ["**/(001) eth[0]", "Berlin/core/(001) eth[0]", true],
    ["**/(001) eth[0]", "Berlin/core/(001) eth0", false],
    ["**/*.example.com", "a/www_example.com", false],
    ["*", ".hidden", true],
    ["berlin", "Berlin", false],
    ["a?c", "a\u{1F600}c", true],
    ["a**c", "a\nb/c", true],
    ["toString", "toString", true],
  ])("%s and %s: %s", (pattern, path, fits) => {
    expect(pathGlob(pattern)(path)).toBe(fits);
  });

  test("text without wildcards matches only itself", () => {
    const text = fc.string().filter((each) => !/[*?]/.test(each));
    fc.assert(
      fc.property(text, text, (pattern, path) => {
        expect(pathGlob(pattern)(pattern)).toBe(true);
        expect(pathGlob(pattern)(path)).toBe(pattern === path);
      }),
    );
  });
});

test("sensorFilter needs a match in each list that is not empty", () => {
  const sensors = [
    record("sensor", "10", "3", { name: "Ping", type: "ping", tags: ["net", "prod"] }),
    record("sensor", "11", "3", { name: "CPU", type: "snmpcpu", tags: ["prod"] }),
    record("sensor", "12", "3", { name: "Disk", type: "snmpdisk", tags: [] }),
  ];
  const device = list([record("device", "3", ROOT, { name: "core" })]);
  const { nodes } = reconcile(EMPTY_TREE, { device, sensor: list(sensors) }).tree;
  const chosen = (paths: string[], kinds: string[], tags: string[]) =>
    sensors.flatMap(({ id, name }) => {
      const node = nodes.get(id);
      return node !== undefined && sensorFilter({ paths, kinds, tags })(node) ? [name] : [];
    });
  expect(chosen([], [], [])).toEqual(["Ping", "CPU", "Disk"]);
  expect(chosen(["core/P*", "core/D*"], [], [])).toEqual(["Ping", "Disk"]);
  expect(chosen([], ["ping", "snmpdisk"], [])).toEqual(["Ping", "Disk"]);
  expect(chosen([], [], ["net", "prod"])).toEqual(["Ping", "CPU"]);
  expect(chosen(["core/*"], ["snmpcpu", "snmpdisk"], ["prod"])).toEqual(["CPU"]);
  expect(chosen(["other/*"], [], [])).toEqual([]);
});

describe("parameterDifferences", () => {
  const parameters: BackfillParameters = {
    server: "hq",
    from: "60d",
    to: "3h",
    resolution: "auto",
    labels: ["job=prtg", "instance=a"],
    paths: [],
    kinds: [],
    tags: ["net"],
    configured: { labels: "a", mapping: "b" },
  };

  test("finds none between equal requests", () => {
    const other = { ...parameters, labels: ["instance=a", "job=prtg"], tags: ["net", "net"] };
    expect(parameterDifferences(parameters, other)).toEqual([]);
  });

  test("names every changed flag", () => {
    const other: BackfillParameters = {
      server: "branch",
      from: "30d",
      to: "2026-03-01T00:00:00Z",
      resolution: "long",
      labels: ["job=prtg"],
      paths: ["Berlin/**"],
      kinds: ["ping"],
      tags: [],
      configured: { labels: "c", mapping: "d" },
    };
    expect(parameterDifferences(parameters, other)).toEqual([
      "--server was hq and is branch",
      "--from was 60d and is 30d",
      "--to was 3h and is 2026-03-01T00:00:00Z",
      "--resolution was auto and is long",
      "--label was instance=a, job=prtg and is job=prtg",
      "--path was not given and is Berlin/**",
      "--kind was not given and is ping",
      "--tag was net and is not given",
      "the section labels of the configuration has changed",
      "the section mapping of the configuration has changed",
    ]);
  });
});
