import { seededRandom } from "prtg-simulator/src/random.ts";
import type { SimDevice, SimSensor, World } from "prtg-simulator/src/world/model.ts";
import { createWorld } from "prtg-simulator/src/world/world.ts";

const HOUR_MS = 3_600_000;
/** Of a minute. */
const SCAN = 1;
const SLOW_SCAN = 5;

/** Devices that depend on a sensor of a core switch, directly or through an access switch, and one that depends on nothing. */
export interface Site {
  readonly core: SimDevice;
  /** What the devices depend on: scanned every minute or every five. */
  readonly target: SimSensor;
  readonly dependents: readonly SimDevice[];
  readonly other: SimDevice;
}

interface SitesOptions {
  readonly seed: number;
  readonly sites: number;
  readonly minuteMs: number;
  /** When the observation begins and ends, milliseconds since the epoch. */
  readonly from: number;
  readonly to: number;
}

export interface Sites {
  readonly world: World;
  /** With three to six dependent devices each. */
  readonly sites: readonly Site[];
  /** With 500 dependent devices and a target that is scanned every five minutes. */
  readonly large: Site;
  readonly random: () => number;
}

/** A world whose sensors are all up from `from` to `to`, scanned every minute but for half of the targets. */
export function createSites({ seed, sites, minuteMs, from, to }: SitesOptions): Sites {
  const random = seededRandom(seed);
  const created = from - HOUR_MS;
  const world = createWorld({ seed, startedAt: from, size: { probes: 1, groups: 1, devices: 1, sensors: 1 } });
  const probe = world.list("probe")[0]?.id ?? "";
  const scanSeconds = (minutes: number) => (minutes * minuteMs) / 1_000;

  /** Tries until the generated problems of the world leave a device alone. */
  const deviceWithoutProblems = (parent: string, name: string, sensors: number): SimDevice => {
    for (;;) {
      const device = world.addDevice(parent, name, created);
      const all = Array.from({ length: sensors }, (_, index) => world.addSensor(device.id, `Ping ${index}`, created));
      for (const sensor of all) sensor.intervalSeconds = scanSeconds(SCAN);
      const states = all.map((sensor) => world.state(sensor, to));
      if (states.every(({ status, since }) => status === "up" && since < from)) return device;
      world.remove(device.id);
    }
  };
  const dependOn = (id: string, { id: dependsOn }: SimSensor) =>
    world.edit(id, { dependency: { schedule: "none", dependsOn } }, created);
  const sensorOf = ({ children }: SimDevice) => children[0] as SimSensor;

  const site = (index: number, size: number, isSlow: boolean): Site => {
    const group = world.addGroup(probe, `Site ${index}`, created).id;
    const core = deviceWithoutProblems(group, `core ${index}`, 3);
    const target = sensorOf(core);
    if (isSlow) target.intervalSeconds = scanSeconds(SLOW_SCAN);
    const below = world.addGroup(group, "Behind the switch", created).id;
    const dependents = Array.from({ length: size }, (_, each) =>
      deviceWithoutProblems(below, `device ${index}-${each}`, 2),
    );
    // The section is inherited, or each device has its own.
    if (random() < 0.5) dependOn(below, target);
    else for (const { id } of dependents) dependOn(id, target);
    const [access, ...rest] = dependents;
    if (access !== undefined && random() < 0.3) {
      for (const { id } of rest.slice(0, Math.floor(rest.length / 2))) dependOn(id, sensorOf(access));
    }
    return { core, target, dependents, other: deviceWithoutProblems(group, `other ${index}`, 2) };
  };
  return {
    world,
    random,
    sites: Array.from({ length: sites }, (_, index) => site(index, 3 + Math.floor(random() * 4), random() < 0.5)),
    large: site(sites, 500, true),
  };
}
