import { describe, expect, test } from "vitest";
import { keyColumns, keyOf } from "../../../src/mapping/families/family.ts";
import { TREE_FAMILIES } from "../../../src/mapping/metric-table.ts";

describe("keyColumns", () => {
  test.each([
    { labels: ["server", "sensor_id", "device_id"], columns: { kind: "sensor", server: 0, id: 1, channelId: -1 } },
    { labels: ["channel_id", "sensor_id", "server"], columns: { kind: "sensor", server: 2, id: 1, channelId: 0 } },
    { labels: ["server", "id", "kind"], columns: { kind: "node", server: 0, id: 1, channelId: -1 } },
    { labels: ["server", "device_id"], columns: { kind: "device", server: 0, id: 1, channelId: -1 } },
    { labels: ["server", "status"], columns: undefined },
  ])("finds the object of series with the labels $labels", ({ labels, columns }) => {
    expect(keyColumns({ labels })).toEqual(columns);
  });

  test("finds no object only for families about servers", () => {
    const others = Object.values(TREE_FAMILIES).filter((family) => keyColumns(family) === undefined);
    expect(others.map(({ name }) => name)).toEqual([
      ...["prtg_server_info", "prtg_sensors", "prtg_objects", "prtg_license_sensors_used", "prtg_license_sensors_max"],
      ...["prtg_license_expiry_timestamp_seconds", "prtg_autodiscoveries_running"],
    ]);
  });
});

test("keyOf returns empty texts for labels that the family lacks", () => {
  const columns = keyColumns({ labels: ["server", "sensor_id"] });
  expect(keyOf(columns, ["hq", "40"])).toEqual({ server: "hq", id: "40", channelId: "" });
  expect(keyOf(undefined, ["hq", "40"])).toEqual({ server: "", id: "", channelId: "" });
});
