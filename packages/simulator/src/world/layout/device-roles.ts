import { z } from "zod";
import data from "../../../data/device-roles.json" with { type: "json" };
import type { SensorKind } from "../sensors/sensor-kind.ts";
import { kindNamed } from "../sensors/sensor-kinds.ts";
import type { Category } from "./sites.ts";

/** What a device is, and which sensors people put on it. */
export interface DeviceRole {
  /** Name without its number. */
  readonly name: string;
  readonly tags: readonly string[];
  /** Sensors such a device has, compared with others. */
  readonly weight: number;
  readonly core: readonly SensorKind[];
  /** Come round and round when the device has more sensors than `core`. */
  readonly more: readonly [SensorKind, ...SensorKind[]];
}

const kind = z.string().transform(kindNamed);
const schema: z.ZodType<DeviceRole> = z.strictObject({
  name: z.string(),
  tags: z.array(z.string()),
  weight: z.number(),
  core: z.array(kind),
  more: z.tuple([kind], kind),
});

const ROLES: ReadonlyMap<string, DeviceRole> = new Map(
  Object.entries(data.roles).map(([name, role]) => [name, schema.parse(role)]),
);

function roleNamed(name: string): DeviceRole {
  const role = ROLES.get(name);
  if (role === undefined) throw new Error(`there is no device role ${name}`);
  return role;
}

export const CORE_SERVER_ROLE = roleNamed("coreServer");
export const PROBE_ROLE = roleNamed("probe");

/** Role of the n-th device of a group. */
export function roleOf(category: Category, position: number): DeviceRole {
  const names = data.categories[category];
  return roleNamed(names[position % names.length] ?? "");
}

/** Kinds of the first `count` sensors of a device. */
export function sensorKindsOf(role: DeviceRole, count: number): SensorKind[] {
  return Array.from({ length: count }, (_, index) => {
    return role.core[index] ?? role.more[(index - role.core.length) % role.more.length] ?? role.more[0];
  });
}
