import { describe, expect, test } from "vitest";
import { type NodeFamily, SENSOR_FAMILIES } from "../../../src/mapping/families/node-families.ts";
import { DECLARATIONS, type FamilyDeclaration } from "../../../src/mapping/metric-table.ts";
import { NodeState, nodeTimes } from "../../../src/model/node-state.ts";
import { reconcile } from "../../../src/model/reconcile.ts";
import { EMPTY_TREE } from "../../../src/model/tree.ts";
import { NODE_SECTIONS, type NodeRecord } from "../../../src/prtg/node-record.ts";
import { STATUS_TOKENS } from "../../../src/prtg/status.ts";
import { list, record } from "../../model/build-record.ts";

const ABOUT = { countedKinds: new Set<never>() };

function values(more: Partial<NodeRecord>): Record<string, number | undefined> {
  const sensor = record("sensor", "1", "0", more);
  const node = reconcile(EMPTY_TREE, { sensor: list([sensor]) }).tree.nodes.get("1");
  if (node === undefined) throw new Error("no node");
  const state = new NodeState(nodeTimes(), node);
  state.update(sensor, { state: 10, property: 20 });
  const { sensorLastMeasurement: _, ...gauges } = SENSOR_FAMILIES;
  const families: readonly NodeFamily[] = Object.values(gauges);
  return Object.fromEntries(families.map(({ name, value }) => [name, value(state, ABOUT, "")]));
}

describe("gauges of a sensor", () => {
  test("are in seconds, and the status is a position in the list", () => {
    expect(values({ status: "down", statusSince: 1_700_000_000_500, intervalSeconds: 30, downDelay: 2 })).toEqual({
      prtg_sensor_status: 1,
      prtg_sensor_status_code: 5,
      prtg_sensor_status_since_timestamp_seconds: 1_700_000_000.5,
      prtg_sensor_info: 1,
      prtg_sensor_interval_seconds: 30,
      prtg_sensor_down_delay_intervals: 2,
    });
  });

  test("have no unknown values", () => {
    expect(values({})).toMatchObject({
      prtg_sensor_status_since_timestamp_seconds: undefined,
      prtg_sensor_interval_seconds: undefined,
    });
  });

  test.each(STATUS_TOKENS.map((token, code) => ({ token, code })))(
    "have $code for status $token",
    ({ token, code }) => {
      expect(values({ status: token }).prtg_sensor_status_code).toBe(code);
    },
  );
});

test("each option of a section has a family, which would lack data otherwise", () => {
  const options = Object.values<FamilyDeclaration>(DECLARATIONS).map(({ option }) => option);
  for (const { option, name } of NODE_SECTIONS) {
    // prtg_node_sensors decides by the kinds that the option names.
    if (option === undefined || option === "nodeSensors") continue;
    expect(options, name).toContain(option);
  }
});
