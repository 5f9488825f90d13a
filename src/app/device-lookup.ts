import type { ServerState } from "../model/server-state.ts";
import type { TreeNode } from "../model/tree.ts";
import type { DeviceLookup } from "../otlp/device-resources.ts";
import type { RowPlacement } from "../otlp/measurement-sink.ts";
import { OtelPlacement, type OtelProfile } from "../otlp/otel-placement.ts";

/** Devices as the trees show them that are known when it is asked. */
export function deviceLookup(stateOf: (server: string) => ServerState | undefined): DeviceLookup {
  const nodeOf = (server: string, id: string): TreeNode | undefined => stateOf(server)?.node(id)?.node;
  const device = (server: string, id: string): TreeNode | undefined => {
    const node = nodeOf(server, id);
    return node?.kind === "device" ? node : undefined;
  };
  return {
    device,
    ofSensor: (server, sensorId) => {
      const sensor = nodeOf(server, sensorId);
      return sensor?.kind === "sensor" ? device(server, sensor.deviceId) : undefined;
    },
  };
}

/** Where the measurements of one server belong. */
export function rowPlacement(profile: OtelProfile, server: string, lookup: DeviceLookup): RowPlacement {
  const placement = new OtelPlacement(profile, lookup);
  return {
    place: (family, labels) => placement.place(family, labels),
    deviceOf: (sensorId) => lookup.ofSensor(server, sensorId)?.id,
  };
}
