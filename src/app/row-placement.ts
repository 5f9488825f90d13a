import type { RowPlacement } from "../otlp/measurement-sink.ts";
import { OtelPlacement, type OtelProfile } from "../otlp/otel-placement.ts";
import type { DeviceLookup } from "../otlp/resources.ts";

/** Where the measurements of one server belong. */
export function rowPlacement(profile: OtelProfile, server: string, lookup: DeviceLookup): RowPlacement {
  const placement = new OtelPlacement(profile, lookup);
  return {
    place: (family, labels) => placement.place(family, labels),
    deviceOf: (sensorId) => lookup.ofSensor(server, sensorId)?.id,
  };
}
