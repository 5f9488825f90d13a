/** Where points of the OTLP bench belong with `otlp.profile: otel`: ten sensors to a device, as their labels say. */
import type { DeviceFacts, DeviceLookup } from "../../src/otlp/device-resources.ts";
import type { RowPlacement } from "../../src/otlp/measurement-sink.ts";
import { OtelPlacement, OtelProfile } from "../../src/otlp/otel-placement.ts";
import { CHANNELS_PER_SENSOR } from "../processes/simulator.ts";
import { resource } from "./otlp-connection.ts";
import { IS_OTEL, labelValuesOf, POINTS } from "./otlp-points.ts";

/** In the order of sensors; for all sensors of a device the same object. */
const owners: DeviceFacts[] = [];
const bySensor = new Map<string, DeviceFacts>();
const byName = new Map<string, DeviceFacts>();
for (let index = 0; index < POINTS; index += CHANNELS_PER_SENSOR) {
  const [, sensorId = "", , probe = "", group = "", name = ""] = labelValuesOf(index);
  const facts = byName.get(name) ?? { id: `${byName.size}`, name, host: name, probe, group, path: `${probe}/${name}` };
  byName.set(name, facts);
  bySensor.set(sensorId, facts);
  owners.push(facts);
}
const lookup: DeviceLookup = { ofSensor: (_, sensorId) => bySensor.get(sensorId), device: () => undefined };

/** Undefined: all points are from one resource. */
export const placement = IS_OTEL ? new OtelPlacement(new OtelProfile(resource), lookup) : undefined;

/** The same for rows, whose sensors are numbered. */
export const rowPlacement: RowPlacement | undefined = placement && {
  place: placement.place.bind(placement),
  deviceOf: (sensor) => owners[Number(sensor)]?.id,
};
