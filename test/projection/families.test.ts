import { describe, expect, test } from "vitest";
import { type MetricFamily, TREE_FAMILIES } from "../../src/mapping/metric-table.ts";
import { NodeState, NodeTimes } from "../../src/model/node-state.ts";
import { reconcile } from "../../src/model/reconcile.ts";
import { EMPTY_TREE } from "../../src/model/tree.ts";
import { CHANNEL_FAMILIES } from "../../src/projection/channel-families.ts";
import { PARENT_FAMILIES, SENSOR_FAMILIES } from "../../src/projection/node-families.ts";
import { COUNT_FAMILIES, DETAIL_FAMILIES, VERSION_FAMILIES } from "../../src/projection/server-families.ts";
import type { NodeRecord } from "../../src/prtg/records.ts";
import { STATUS_TOKENS } from "../../src/prtg/status.ts";
import { list, record } from "../model/build-record.ts";

const DECLARED = {
  ...VERSION_FAMILIES,
  ...COUNT_FAMILIES,
  ...PARENT_FAMILIES,
  ...SENSOR_FAMILIES,
  ...CHANNEL_FAMILIES,
  ...DETAIL_FAMILIES,
};

const ABOUT = { countedKinds: new Set<never>() };

/** Values of the gauges of a sensor that a list showed as this. */
function values(more: Partial<NodeRecord>): Record<string, number | undefined> {
  const sensor = record("sensor", "1", "0", more);
  const node = reconcile(EMPTY_TREE, { sensor: list([sensor]) }).tree.nodes.get("1");
  if (node === undefined) throw new Error("no node");
  const state = new NodeState(new NodeTimes(), node);
  state.update(sensor, { state: 10, property: 20 });
  const { sensorLastMeasurement: _, ...gauges } = SENSOR_FAMILIES;
  return Object.fromEntries(
    Object.values(gauges).map(({ family, value }: Readable) => [family.name, value(state, ABOUT, "")]),
  );
}

interface Readable {
  readonly family: MetricFamily;
  readonly value: (node: NodeState, about: typeof ABOUT, each: string) => number | undefined;
}

describe("the families about the monitored world", () => {
  test("are those of the metric table, each declared once and under its name there", () => {
    const families = Object.fromEntries(Object.entries(DECLARED).map(([name, { family }]) => [name, family]));
    expect(families).toEqual(TREE_FAMILIES);
    const parts = [
      VERSION_FAMILIES,
      COUNT_FAMILIES,
      PARENT_FAMILIES,
      SENSOR_FAMILIES,
      CHANNEL_FAMILIES,
      DETAIL_FAMILIES,
    ];
    expect(parts.flatMap((part) => Object.keys(part)).sort()).toEqual(Object.keys(TREE_FAMILIES).sort());
  });
});

describe("a sensor's gauges", () => {
  test("are in seconds, its status a position in the list", () => {
    expect(values({ status: "down", statusSince: 1_700_000_000_500, intervalSeconds: 30 })).toEqual({
      prtg_sensor_status: 1,
      prtg_sensor_status_code: 5,
      prtg_sensor_status_since_timestamp_seconds: 1_700_000_000.5,
      prtg_sensor_info: 1,
      prtg_sensor_interval_seconds: 30,
    });
  });

  test("have no value for what is not known", () => {
    expect(values({})).toMatchObject({
      prtg_sensor_status_since_timestamp_seconds: undefined,
      prtg_sensor_interval_seconds: undefined,
    });
  });

  test.each(STATUS_TOKENS.map((token, code) => ({ token, code })))("status $token is $code", ({ token, code }) => {
    expect(values({ status: token }).prtg_sensor_status_code).toBe(code);
  });
});
