import { seededRandom } from "prtg-simulator/src/random.ts";

/** Status codes of PRTG. `undefined`: no series. */
type Code = 1 | 3 | 5 | 6 | 7 | undefined;

interface Change {
  readonly minute: number;
  readonly code: Code;
}

export interface DaySensor {
  readonly id: number;
  readonly device: number;
  readonly group: string;
  /** By minute. The first is in minute 0. */
  readonly changes: Change[];
}

/** A probe with one site: groups of devices. */
export interface Story {
  readonly server: string;
  readonly sensors: readonly DaySensor[];
  readonly probe: Change[];
  /** 1 or 0 as `prtg_up`. */
  readonly up: { readonly minute: number; readonly value: 0 | 1 }[];
}

export const SITE = "Singapore Office";
export const PROBE = "Remote Probe";
const BEGIN = 5;
/** The last change of a story is before this minute. Alerts end up to 80 minutes later, because PrtgSensorFlapping looks back for an hour. */
export const DAY_MINUTES = 130;

/** Stories about servers of their own, so that a notification belongs to one of them. They run at the same time. */
export function scriptedDay(): Story[] {
  const random = seededRandom(1);
  const between = (least: number, most: number) => least + (most - least) * random();
  /** Most sensors are scanned each minute. The others see a failure later. */
  const noticed = () => (random() < 0.85 ? between(1, 2) : between(2, 4));

  const outage = story("site outage", 41, 368);
  for (const { changes } of outage.sensors.slice(0, 310)) {
    changes.push({ minute: BEGIN + noticed(), code: 5 }, { minute: 50 + between(0, 10), code: 3 });
  }

  const link = story("flapping link", 10, 60);
  for (const { changes } of link.sensors) {
    for (let spell = 0; spell < 6; spell++) {
      const from = BEGIN + 7 * spell;
      changes.push({ minute: from + between(0, 1), code: 5 }, { minute: from + 4 + between(0, 1), code: 3 });
    }
  }

  const paused = story("maintenance", 10, 60);
  for (const { changes } of paused.sensors) {
    changes.push({ minute: BEGIN, code: 7 }, { minute: 60, code: 1 }, { minute: 60 + noticed(), code: 3 });
  }

  const lost = story("lost probe", 10, 60);
  lost.probe.push({ minute: BEGIN, code: 6 }, { minute: 40, code: 3 });
  for (const { changes } of lost.sensors) {
    changes.push({ minute: BEGIN + between(0, 1), code: 1 }, { minute: 40 + noticed(), code: 3 });
  }

  const restart = story("restart of PRTG", 10, 60);
  restart.up.push({ minute: BEGIN, value: 0 }, { minute: BEGIN + 8, value: 1 });
  restart.probe.push(
    { minute: BEGIN + 5, code: undefined },
    { minute: BEGIN + 8, code: 6 },
    { minute: BEGIN + 9, code: 3 },
  );
  for (const { changes } of restart.sensors) {
    changes.push({ minute: BEGIN + 5, code: undefined }, { minute: BEGIN + 8, code: 1 });
    changes.push({ minute: BEGIN + 8 + noticed(), code: 3 });
  }

  const devices = story("three dead devices", 10, 60);
  for (const { changes } of devices.sensors.filter(({ device }) => device % 4 === 0)) {
    changes.push({ minute: BEGIN + noticed(), code: 5 }, { minute: 50, code: 3 });
  }
  return [outage, link, paused, lost, restart, devices];
}

function story(server: string, devices: number, sensors: number): Story {
  const perDevice = Math.ceil(sensors / devices);
  return {
    server,
    sensors: Array.from({ length: sensors }, (_, at) => {
      const device = Math.floor(at / perDevice);
      const group = `Group ${Math.floor((device * 4) / devices)}`;
      return { id: 10_000 + at, device: 1000 + device, group, changes: [{ minute: 0, code: 3 }] };
    }),
    probe: [{ minute: 0, code: 3 }],
    up: [{ minute: 0, value: 1 }],
  };
}

/** The change that holds in a minute. */
export function currentOf<Entry extends { readonly minute: number }>(
  changes: readonly Entry[],
  minute: number,
): Entry | undefined {
  return changes.findLast((change) => change.minute <= minute);
}
