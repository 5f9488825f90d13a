import { collectDefaultMetrics, Registry } from "prom-client";
import { describe, expect, test } from "vitest";
import { TREE_FAMILIES } from "../../src/mapping/metric-table.ts";
import { metricAttributes, metricName, metricUnit } from "../../src/otlp/metric-data.ts";
import { EXPORTER_FAMILIES } from "../../src/telemetry/metric-declarations.ts";
import { prometheusName } from "./support/prometheus-name.ts";

test.each([
  ["prtg_channel_value", "prtg.channel_value", ""],
  ["prtg_up", "prtg.up", ""],
  ["prtg_sensor_interval_seconds", "prtg.sensor_interval_seconds", "s"],
  ["prtg_sensor_status_since_timestamp_seconds", "prtg.sensor_status_since_timestamp_seconds", "s"],
  ["prtg_exporter_api_requests_total", "prtg.exporter_api_requests_total", ""],
  ["prtg_exporter_api_response_bytes_total", "prtg.exporter_api_response_bytes_total", "By"],
  ["process_cpu_user_seconds_total", "process.cpu_user_seconds_total", "s"],
  ["prtg_room_temperature_celsius", "prtg.room_temperature_celsius", "Cel"],
  // A gauge of unit 1 would become `_ratio`, a rate would get `_per_second` twice.
  ["prtg_disk_free_ratio", "prtg.disk_free_ratio", ""],
  ["prtg_traffic_bytes_per_second", "prtg.traffic_bytes_per_second", ""],
  ["prtg_odd_per_seconds", "prtg.odd_per_seconds", ""],
  ["seconds", "seconds", "s"],
  ["prtg_constructor", "prtg.constructor", ""],
  ["up", "up", ""],
])("%s becomes %s of unit %j", (family, name, unit) => {
  expect(metricName(family)).toBe(name);
  expect(metricUnit(family)).toBe(unit);
});

describe("Prometheus names equal scraped names", () => {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  // Typed as an enum, but a name.
  const own = registry.getMetricsAsArray().map(({ name, type }) => ({ name, type: String(type) }));
  const mapped = [
    "prtg_a_ratio",
    "prtg_a_percent",
    "prtg_a_bytes_per_second",
    "prtg_a_watts",
    "prtg_a_hertz",
    "prtg_a_milliseconds",
  ];
  const families = [
    ...Object.values(TREE_FAMILIES),
    ...EXPORTER_FAMILIES,
    // Also absent from the page: gauges must not end with this.
    ...own.filter(({ name, type }) => type !== "gauge" || !name.endsWith("_total")),
    ...mapped.map((name) => ({ name, type: "gauge" })),
  ];
  test.each(families)("$name", ({ name, type }) => {
    for (const suffixes of [true, false]) {
      const metric = { name: metricName(name), unit: metricUnit(name), isCounter: type === "counter" };
      expect(prometheusName(metric, suffixes)).toBe(name);
    }
  });
});

test("careless names change in Prometheus", () => {
  const spoilt = (name: string, unit: string) => prometheusName({ name, unit, isCounter: false }, true);
  expect(spoilt("prtg.channel_value", "1")).toBe("prtg_channel_value_ratio");
  expect(spoilt("prtg.channel_value", "s")).toBe("prtg_channel_value_seconds");
  expect(spoilt("prtg.a_bytes_per_second", "By/s")).toBe("prtg_a_bytes_per_second_per_second");
});

test("attributes are sorted, well-formed labels without empty ones", () => {
  const attributes = metricAttributes(["server", "unit", "channel"], ["hq", "", "\udc00x"]);
  expect(attributes).toEqual({ server: "hq", channel: "\ufffdx" });
  expect(Object.keys(attributes)).toEqual(["server", "channel"]);
});
