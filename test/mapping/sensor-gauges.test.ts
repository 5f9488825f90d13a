import { expect, it } from "vitest";
import { SENSOR_GAUGES } from "../../src/mapping/sensor-gauges.ts";
import type { NodeRecord } from "../../src/prtg/records.ts";
import { STATUS_TOKENS } from "../../src/prtg/status.ts";
import { record } from "../model/build-record.ts";

function values(more: Partial<NodeRecord>): Record<string, number | undefined> {
  const sensor = record("sensor", "1", "2", more);
  return Object.fromEntries(SENSOR_GAUGES.map(({ family, value }) => [family.name, value(sensor)]));
}

it("a sensor's gauges are in seconds, its status a position in the list", () => {
  expect(values({ status: "down", statusSince: 1_700_000_000_500, intervalSeconds: 30 })).toEqual({
    prtg_sensor_status_code: 5,
    prtg_sensor_status_since_timestamp_seconds: 1_700_000_000.5,
    prtg_sensor_info: 1,
    prtg_sensor_interval_seconds: 30,
  });
});

it("what is not known has no value", () => {
  expect(values({})).toMatchObject({
    prtg_sensor_status_since_timestamp_seconds: undefined,
    prtg_sensor_interval_seconds: undefined,
  });
});

it.each(STATUS_TOKENS.map((token, code) => ({ token, code })))("status $token is $code", ({ token, code }) => {
  expect(values({ status: token }).prtg_sensor_status_code).toBe(code);
});
