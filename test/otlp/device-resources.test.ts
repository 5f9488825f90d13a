import { resourceFromAttributes } from "@opentelemetry/resources";
import { expect, test } from "vitest";
import { type DeviceFacts, DeviceResources } from "../../src/otlp/resources.ts";
import { TwoDevices } from "./support/otel-push.ts";
import { RESOURCE } from "./support/otlp-exporter.ts";

const SWITCH: DeviceFacts = { id: "7", name: "Switch", host: "", probe: "Probe", group: "", path: "Probe/Switch" };

test.each([
  ["", "Switch", undefined],
  ["10.0.0.1", "Switch", "10.0.0.1"],
  ["2001:db8::1", "Switch", "2001:db8::1"],
  ["switch.example.com", "switch.example.com", "switch.example.com"],
])("a device at %j gets the host %s at the address %s", (host, name, address) => {
  const { attributes } = new DeviceResources(RESOURCE).ofDevice("hq", { ...SWITCH, host });
  expect(attributes["host.name"]).toBe(name);
  expect(attributes["server.address"]).toBe(address);
});

test("each device is an instance with attributes of the exporter, but not of its machine", () => {
  const exporter = resourceFromAttributes({
    "service.name": "prtg",
    "service.instance.id": "one",
    "deployment.environment.name": "test",
    "host.name": "exporter",
    "host.id": "fdbf79e8af94cb7f9e8df36789187052",
    "os.type": "linux",
  });
  const resources = new DeviceResources(exporter);
  const { attributes } = resources.ofDevice("hq", { ...SWITCH, name: "lone \ud800" });
  expect(attributes).toEqual({
    "service.name": "prtg",
    "service.instance.id": "one/hq/7",
    "deployment.environment.name": "test",
    "host.name": "lone \ufffd",
    "prtg.server.name": "hq",
    "prtg.device.id": "7",
    "prtg.device.name": "lone \ufffd",
    "prtg.device.path": "Probe/Switch",
    "prtg.probe.name": "Probe",
  });
  expect(resources.ofDevice("second", SWITCH).attributes["service.instance.id"]).toBe("one/second/7");
  const nameless = new DeviceResources(resourceFromAttributes({}));
  expect(nameless.ofDevice("hq", SWITCH).attributes["service.instance.id"]).toBe("hq/7");
});

test("the resource of a device is the same object until the device changes", () => {
  const resources = new DeviceResources(RESOURCE);
  expect(resources.ofDevice("hq", SWITCH)).toBe(resources.ofDevice("hq", SWITCH));
  expect(resources.ofDevice("hq", { ...SWITCH, name: "Edge" })).not.toBe(resources.ofDevice("hq", SWITCH));
});

test("the cache keeps a deleted device while its end can wait, and existing ones forever", () => {
  const inventory = new TwoDevices();
  const resources = new DeviceResources(RESOURCE);
  const ids = (sensor: string) =>
    resources.ofSensorBefore("hq", sensor, inventory).map(({ attributes }) => attributes["prtg.device.id"]);
  for (const sensor of ["40", "41"]) resources.ofSensor("hq", sensor, inventory);
  inventory.sensors.set("40", "2002");
  expect(ids("40")).toEqual(["2002", "2001"]);
  inventory.sensors.delete("41");
  inventory.devices.delete("2001");
  expect(ids("41")).toEqual(["2002"]);
  expect(resources.ofDeviceBefore("hq", "2001")?.attributes["prtg.device.id"]).toBe("2001");
  // The receiver is down, so ends wait.
  for (let push = 0; push < 100; push++) {
    resources.forgetUnused(inventory);
    expect([ids("41"), resources.ofDeviceBefore("hq", "2001") === undefined]).toEqual([["2002"], false]);
  }
  for (let push = 0; push < 61; push++) resources.forgetUnused(inventory);
  expect(ids("40")).toEqual(["2002"]);
  expect(ids("41")).toEqual([]);
  expect(resources.ofDeviceBefore("hq", "2001")).toBeUndefined();
});
