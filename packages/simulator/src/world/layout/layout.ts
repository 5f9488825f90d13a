import { below, between, mix } from "../noise.ts";
import { maxChannels, type SensorKind } from "../sensors/sensor-kind.ts";
import { CORE_SERVER_ROLE, type DeviceRole, PROBE_ROLE, roleOf, sensorKindsOf } from "./device-roles.ts";
import { type Category, type City, cityOf, GERMAN_PROBE, type GroupPlan, planGroups } from "./sites.ts";
import type { WorldSize } from "./size.ts";
import { apportion, MAX_CHANNELS } from "./size.ts";

export interface SensorPlan {
  readonly spec: SensorKind;
  /** Without Downtime. */
  channels: number;
}

export interface DevicePlan {
  /** Index of the group in the plan of the probe; undefined on the probe itself. */
  readonly group: number | undefined;
  readonly role: DeviceRole;
  /** Place among the devices of its parent. */
  readonly position: number;
  readonly sensors: SensorPlan[];
}

export interface ProbePlan {
  readonly name: string;
  readonly city: City;
  /** Channels in German cities have German names. */
  readonly isGerman: boolean;
  readonly groups: readonly GroupPlan[];
  readonly devices: readonly DevicePlan[];
}

/** How many devices a group holds, compared with others. */
const CATEGORY_WEIGHTS: Readonly<Record<Category, number>> = {
  mixed: 8,
  switches: 8,
  routers: 4,
  wireless: 6,
  windows: 8,
  linux: 8,
  virtual: 5,
  database: 5,
  storage: 4,
  power: 5,
  printers: 6,
  web: 7,
};

/** A place where devices go. */
interface DevicePlace {
  readonly probe: number;
  readonly group: number | undefined;
  readonly category: Category;
}

/** What stands where, with exactly the counts of `size`; the same seed gives the same plan. */
export function planWorld(seed: number, size: WorldSize): ProbePlan[] {
  const groupCounts = apportion(
    size.groups,
    Array.from({ length: size.probes }, () => 1),
  );
  const groups = groupCounts.map((count, probe) => planGroups(probe, count));
  const devices = planDevices(size, groups);
  planSensors(seed, size, devices.flat());
  return groups.map((own, probe) => {
    const city = cityOf(probe, 0);
    const round = Math.floor(probe / 16);
    const name = probe === 0 ? "Local Probe" : `${city.name} Probe${round === 0 ? "" : ` ${round + 1}`}`;
    return { name, city, isGerman: probe === GERMAN_PROBE, groups: own, devices: devices[probe] ?? [] };
  });
}

function planDevices(size: WorldSize, groups: readonly (readonly GroupPlan[])[]): DevicePlan[][] {
  const devices: DevicePlan[][] = groups.map(() => []);
  // The product gives each probe a device of its own; a handful of devices goes to groups instead.
  const probeDevices = size.devices > size.probes ? size.probes : 0;
  for (let probe = 0; probe < probeDevices; probe++) {
    const role = probe === 0 ? CORE_SERVER_ROLE : PROBE_ROLE;
    devices[probe]?.push({ group: undefined, role, position: 0, sensors: [] });
  }
  const places = devicePlaces(groups);
  const counts = apportion(
    size.devices - probeDevices,
    places.map(({ category }) => CATEGORY_WEIGHTS[category]),
  );
  places.forEach(({ probe, group, category }, place) => {
    for (let position = 0; position < (counts[place] ?? 0); position++) {
      devices[probe]?.push({ group, role: roleOf(category, position + place), position, sensors: [] });
    }
  });
  return devices;
}

function devicePlaces(groups: readonly (readonly GroupPlan[])[]): DevicePlace[] {
  const places = groups.flatMap((own, probe) => {
    const inner = new Set(own.map(({ parent }) => parent));
    return own.flatMap(({ category }, group): DevicePlace[] => (inner.has(group) ? [] : [{ probe, group, category }]));
  });
  if (places.length > 0) return places;
  return groups.map((_, probe) => ({ probe, group: undefined, category: "mixed" }));
}

function planSensors(seed: number, size: WorldSize, devices: readonly DevicePlan[]): void {
  // One for each device first, where there are enough: an empty device is rare in real trees.
  const first = size.sensors >= devices.length ? 1 : 0;
  const weights = devices.map(({ role }, index) =>
    first === 1 ? role.weight * between(mix(seed, 0x5e45), index, 0.55, 1.45) : 1,
  );
  const counts = apportion(size.sensors - first * devices.length, weights);
  devices.forEach(({ role, sensors }, index) => {
    const kinds = sensorKindsOf(role, first + (counts[index] ?? 0));
    for (const spec of kinds) sensors.push({ spec, channels: 0 });
  });
  planChannels(
    seed,
    size.channels - size.sensors,
    devices.flatMap(({ sensors }) => sensors),
  );
}

/** Gives each sensor the channels that its kind usually has, then grows or shrinks them all to hit the total. */
function planChannels(seed: number, total: number, sensors: readonly SensorPlan[]): void {
  let missing = total;
  sensors.forEach((sensor, index) => {
    const [min, max] = sensor.spec.usual;
    sensor.channels = min + below(mix(seed, 0xc4a), index, max - min + 1);
    missing -= sensor.channels;
  });
  const ends: readonly ((spec: SensorKind) => number)[] =
    missing > 0 ? [maxChannels, () => MAX_CHANNELS - 1] : [({ usual }) => usual[0], () => 1];
  for (const end of ends) {
    const rooms = sensors.map(({ spec, channels }) => Math.abs(end(spec) - channels));
    const room = rooms.reduce((sum, one) => sum + one, 0);
    const step = Math.sign(missing);
    const moved = Math.min(room, Math.abs(missing));
    const parts = apportion(moved, rooms);
    sensors.forEach((sensor, index) => {
      sensor.channels += step * (parts[index] ?? 0);
    });
    missing -= step * moved;
  }
}
