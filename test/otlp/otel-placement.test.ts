import { expect, test } from "vitest";
import { TREE_FAMILIES } from "../../src/mapping/metric-table.ts";
import { StalenessMarker } from "../../src/otlp/metric-data.ts";
import { OtelPlacement, OtelProfile, placeMarkers } from "../../src/otlp/otel-placement.ts";
import { SeriesTable } from "../../src/store/series-table.ts";
import { TwoDevices } from "./support/otel-push.ts";
import { RESOURCE } from "./support/otlp-exporter.ts";

const { sensorStatus } = TREE_FAMILIES;

test("staleness markers wait for the event loop at each end of a time slice", async () => {
  const inventory = new TwoDevices();
  const table = new SeriesTable(sensorStatus);
  for (const id of ["40", "41", "42"]) table.set(table.add([...inventory.sensorLabels(id), "up"]), 1);
  const labels = [...inventory.sensorLabels("40"), "down"];
  const end = new StalenessMarker({ family: sensorStatus, labels, endTime: [0, 0] }, false, () => undefined);
  let steps = 0;
  let slice = Promise.withResolvers<void>();
  const slices = {
    step: () => {
      steps++;
      slice = Promise.withResolvers();
      return slice.promise;
    },
  };
  const placement = new OtelPlacement(new OtelProfile(RESOURCE), inventory);
  let isPlaced = false;
  const placed = placeMarkers([end], sensorStatus, table, placement, slices).finally(() => {
    isPlaced = true;
  });
  // Three series and one end.
  for (const step of [1, 2, 3, 4]) {
    await new Promise(setImmediate);
    expect([steps, isPlaced]).toEqual([step, false]);
    slice.resolve();
  }
  expect((await placed).map(({ resource }) => resource.attributes["prtg.device.id"])).toEqual(["2001"]);
});

test("two series of one sensor with the same attributes both end at the device that it left", () => {
  const devices = new TwoDevices();
  const placement = new OtelPlacement(new OtelProfile(RESOURCE), devices);
  const families = [TREE_FAMILIES.sensorStatusCode, TREE_FAMILIES.sensorInterval];
  const labels = devices.sensorLabels("40");
  const { resource } = placement.place(TREE_FAMILIES.sensorStatusCode, labels);
  devices.sensors.set("40", "2002");
  for (const family of families) placement.noteMoved(family, labels, { deviceId: "2001", resource }, false);
  const markers = [...placement.movedMarkers(new Set(), () => [0, 0])];
  expect(markers.map(({ point }) => point.family.name)).toEqual(["prtg.sensor.status_code", "prtg.sensor.interval"]);
});

test("a series does not end at a device to which its sensor has returned", () => {
  const devices = new TwoDevices();
  const placement = new OtelPlacement(new OtelProfile(RESOURCE), devices);
  const labels = devices.sensorLabels("40");
  const { resource } = placement.place(TREE_FAMILIES.sensorStatusCode, labels);
  placement.noteMoved(TREE_FAMILIES.sensorStatusCode, labels, { deviceId: "2001", resource }, false);
  expect([...placement.movedMarkers(new Set(), () => [0, 0])]).toEqual([]);
});
