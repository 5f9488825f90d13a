import { ApiError } from "../../../api-errors.ts";
import type { SimNode, World } from "../../../world/model.ts";
import { settingsInForce } from "../../../world/nodes/settings.ts";
import type { SensorKind } from "../../../world/sensors/sensor-kind.ts";
import { SENSOR_KINDS } from "../../../world/sensors/sensor-kinds.ts";

/** "Reasons why the kind is not creatable." */
export type Hint =
  | "CredentialsMissing"
  | "ProbeIsDisconnected"
  | "SensorNeedsLocalProbe"
  | "SensorNeedsLocalProbeDevice"
  | "SensorNeedsProbeDevice"
  | "MissingCredentialGroup";

/** A kind of objects that a parent can hold. */
export interface CreatableKind {
  readonly kind: string;
  readonly name: string;
  readonly description: string;
  /** Of sensors. */
  readonly sensorKind: SensorKind | undefined;
}

const DEVICE: CreatableKind = {
  kind: "device",
  name: "Device",
  description: "Something with an address that is monitored",
  sensorKind: undefined,
};
const GROUP: CreatableKind = {
  kind: "group",
  name: "Group",
  description: "Holds devices and other groups",
  sensorKind: undefined,
};
const SENSORS: readonly CreatableKind[] = [...SENSOR_KINDS.values()]
  .map((sensorKind) => ({
    kind: sensorKind.type,
    name: sensorKind.typeName,
    sensorKind,
    description: `Monitors ${sensorKind.channels.map(({ name }) => name).join(", ")}`,
  }))
  .sort((left, right) => (left.kind < right.kind ? -1 : 1));

/** What can be below an object, whether or not it can be created there at present. Probes join by themselves. */
export function kindsBelow(parent: SimNode): readonly CreatableKind[] {
  switch (parent.kind) {
    case "root":
    case "sensor":
      return [];
    case "probe":
    case "group":
      return [DEVICE, GROUP];
    case "device":
      return SENSORS;
  }
}

/** The product's own probe, on the machine of the core server. */
const LOCAL_PROBE_ID = "1";
const PROBE_DEVICE = "Probe Device";

/** What keeps a kind from being created now. Ours: sensors need their probe, devices and groups do not. */
export function hintsAgainst(
  { sensorKind }: CreatableKind,
  parent: SimNode,
  world: World,
  now: number,
): readonly Hint[] {
  if (sensorKind === undefined) return [];
  const hints: Hint[] = [];
  const probe = probeOf(parent);
  if (probe !== undefined && world.state(probe, now).status === "disconnected") hints.push("ProbeIsDisconnected");
  const onProbeDevice = parent.type === PROBE_DEVICE;
  const local = probe?.id === LOCAL_PROBE_ID;
  if (sensorKind.type === "probestate" && !onProbeDevice) hints.push("SensorNeedsProbeDevice");
  if (sensorKind.type === "corestate" && !local) hints.push("SensorNeedsLocalProbe");
  if (sensorKind.type === "corestate" && local && !onProbeDevice) hints.push("SensorNeedsLocalProbeDevice");
  const needsWindows = sensorKind.type.startsWith("wmi") && !(local && onProbeDevice);
  if (needsWindows && settingsInForce(parent, "windows").settings.username === "") hints.push("CredentialsMissing");
  return hints;
}

/** @throws RequestRefused WRONG_NODE_STATUS while the probe is away, BAD_REQUEST for other reasons */
export function checkCreatable(type: string, device: SimNode, world: World, now: number): void {
  const kind = SENSORS.find((known) => known.kind === type);
  const hints = kind === undefined ? [] : hintsAgainst(kind, device, world, now);
  if (hints.length === 0) return;
  const message = `A ${type} cannot be created on ${device.id}: ${hints.join(", ")}`;
  throw new ApiError(hints.includes("ProbeIsDisconnected") ? "WRONG_NODE_STATUS" : "BAD_REQUEST", message);
}

function probeOf(node: SimNode): SimNode | undefined {
  let one: SimNode | undefined = node;
  while (one !== undefined && one.kind !== "probe") one = one.parent;
  return one;
}
