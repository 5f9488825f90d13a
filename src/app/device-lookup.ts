import type { ServerState } from "../model/server-state.ts";
import type { TreeNode } from "../model/tree.ts";
import type { DeviceLookup } from "../otlp/resources.ts";

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
