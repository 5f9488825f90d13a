import { readdirSync, readFileSync } from "node:fs";
import { load } from "js-yaml";
import { describe, expect, test } from "vitest";
import { TREE_FAMILIES } from "../../src/mapping/metric-table.ts";
import { limitFamilyName } from "../../src/mapping/rules/names.ts";
import { BASE_UNIT_NAMES, BASE_UNITS } from "../../src/mapping/units/base-units.ts";
import { MEANINGS, otelFamily, otelMetric, QUANTITIES } from "../../src/otlp/otel-family.ts";
import { SEMCONV_METRICS, SEMCONV_VALUES } from "../../src/otlp/semantic-conventions.ts";
import { LIMIT_NAMES } from "../../src/prtg/records.ts";
import { EXPORTER_FAMILIES } from "../../src/telemetry/metric-declarations.ts";
import { MAPPED, mapped } from "./support/otel-push.ts";
import { prometheusName } from "./support/prometheus-name.ts";

const MAPPINGS = new URL("../../config/mappings/", import.meta.url);

interface PresetRule {
  readonly name?: string;
  readonly labels?: Readonly<Record<string, string>>;
}

const presets = new Map(
  readdirSync(MAPPINGS).flatMap((file) => {
    const text = readFileSync(new URL(file, MAPPINGS), "utf8");
    const { rules } = load(text) as { readonly rules: readonly PresetRule[] };
    return rules.flatMap(({ name, labels = {} }) => (name === undefined ? [] : [[name, Object.keys(labels)] as const]));
  }),
);

/** One metric with different attributes. */
const ONE_METRIC: ReadonlySet<string> = new Set([SEMCONV_METRICS.memoryUtilization, SEMCONV_METRICS.memoryUsage]);

test.each([
  ["prtg_up", "prtg.up", ""],
  ["prtg_sensors", "prtg.sensors", ""],
  ["prtg_channel_value", "prtg.channel.value", ""],
  ["prtg_sensor_status_since_timestamp_seconds", "prtg.sensor.status_since_timestamp", "s"],
  ["prtg_ping_packet_loss_ratio", "prtg.ping_packet_loss_ratio", "1"],
  ["prtg_interface_packets_per_second", "prtg.interface_packets", "/s"],
  ["prtg_channel_limit", "prtg.channel.limit", ""],
  ["prtg_channel_seconds", "prtg.channel.duration", "s"],
  ["prtg_channel_limit_seconds", "prtg.channel.duration_limit", "s"],
  ["prtg_channel_age_seconds", "prtg.channel.age", "s"],
  ["prtg_cpu_usage_ratio", "system.cpu.utilization", "1"],
  ["prtg_cpu_usage_limit_ratio", "prtg.cpu_usage_limit_ratio", "1"],
  ["prtg_temperature_limit_celsius", "hw.temperature.limit", "Cel"],
])("%s becomes %s of unit %j", (family, name, unit) => {
  expect(otelMetric(family)).toEqual({ name, unit });
});

test("different families of presets have different names, unless they are one metric", () => {
  const families = [...presets.keys()].flatMap((name) => [name, limitFamilyName(name)]);
  const all = [...families, ...Object.values(TREE_FAMILIES).map(({ name }) => name)];
  const byMetric = Map.groupBy(new Set(all), (family) => otelMetric(family).name);
  const shared = [...byMetric].filter(([metric, sharing]) => sharing.length > 1 && !ONE_METRIC.has(metric));
  expect(shared).toEqual([]);
});

test("every meaning belongs to a preset with its labels", () => {
  for (const [family, { attributes }] of Object.entries(MEANINGS)) {
    const labels = presets.get(family);
    expect(labels, family).toBeDefined();
    for (const { from } of attributes) if (from !== undefined) expect(labels, family).toContain(from);
  }
});

test("limits have the attributes of their metric and their own", () => {
  const namesOf = (...family: Parameters<typeof mapped>) => otelFamily(mapped(...family)).onDevice.family.labels;
  const ofLimits = namesOf("prtg_disk_free_limit_ratio", "disk", "limit");
  expect(ofLimits.filter((name) => name !== "prtg.channel.limit_kind")).toEqual(
    namesOf("prtg_disk_free_ratio", "disk"),
  );
  const { onDevice } = otelFamily(mapped("prtg_temperature_limit_celsius", "limit"));
  const typeOf = (limit: string) => onDevice.labels(["hq", "40", "2", "", "", "", "", "Inlet", "", limit]).slice(-4);
  expect(onDevice.family.labels.slice(-4)).toEqual(["prtg.channel.limit_kind", "hw.id", "hw.name", "hw.limit_type"]);
  expect(typeOf("max_error")).toEqual(["max_error", "40.2", "Inlet", "high.critical"]);
  expect(LIMIT_NAMES.map((limit) => typeOf(limit).at(-1)).sort()).toEqual(Object.values(SEMCONV_VALUES.hwLimitType));
});

test("every unit with a suffix has a unique quantity", () => {
  const units = BASE_UNIT_NAMES.filter((unit) => BASE_UNITS[unit].suffix !== "");
  expect(Object.keys(QUANTITIES).sort()).toEqual(units.sort());
  expect(new Set(Object.values(QUANTITIES)).size).toBe(units.length);
});

describe("Prometheus names of our namespace equal scraped names", () => {
  const families = [...Object.values(TREE_FAMILIES), ...EXPORTER_FAMILIES].map(
    ({ name, type }) => [name, type] as const,
  );
  test.each(families)("%s", (family, type) => {
    const isCounter = type === "counter";
    const { name, unit } = otelMetric(isCounter ? family.replace(/_total$/, "") : family);
    expect(prometheusName({ name, unit, isCounter }, true)).toBe(family);
  });
});

test("the attribute of a label depends on the family", () => {
  const labelsOf = (family: keyof typeof TREE_FAMILIES) => otelFamily(TREE_FAMILIES[family]).alone.family.labels;
  expect(labelsOf("sensorInfo")).toContain("prtg.object.type_id");
  expect(labelsOf("nodeSensors")).toContain("prtg.object.kind");
  expect(labelsOf("deviceInfo")).toContain("server.address");
  expect(labelsOf("sensorStatus").slice(-2)).toEqual(["prtg.status.name", "hw.state"]);
});

test("directions use the words of the conventions, and other words stay", () => {
  const { onDevice } = otelFamily(mapped("prtg_interface_traffic_bytes_per_second", "direction"));
  const directionOf = (direction: string) => {
    const labels = onDevice.labels(["hq", "40", "0", "", "", "", "", "", "", direction]);
    return labels[onDevice.family.labels.indexOf("network.io.direction")];
  };
  expect(["in", "out", "both", ""].map(directionOf)).toEqual(["receive", "transmit", "both", ""]);
});

test("omitted or renamed labels keep attributes that others need", () => {
  const narrow = { ...MAPPED.temperature, labels: ["server", "sensor_id", "channel_id", "site"] };
  expect(otelFamily(narrow).onDevice.family.labels).toEqual(["prtg.sensor.id", "prtg.channel.id", "site", "hw.id"]);
  const renamed = { ...TREE_FAMILIES.sensorInterval, labels: ["server", "sensor_id", "standort", "sensor"] };
  const { onDevice, alone, columns } = otelFamily(renamed);
  expect(columns).toEqual({ kind: "sensor", server: 0, id: 1, channelId: -1 });
  expect(onDevice.family.labels).toEqual(["prtg.sensor.id", "standort", "prtg.sensor.name"]);
  expect(alone.labels(["hq", "40", "Berlin", "Ping"])).toEqual(["hq", "40", "Berlin", "Ping"]);
});
