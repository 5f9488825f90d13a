import { isIP } from "node:net";
import { type Resource, resourceFromAttributes } from "@opentelemetry/resources";
import { PRTG_ATTRIBUTES as PRTG } from "../events/event.ts";
import { mapEntry } from "../lib/map-entry.ts";
import { SEMCONV_ATTRIBUTES as ATTRIBUTES } from "./semantic-conventions.ts";

export interface Identity {
  readonly version: string;
  /** Stable across restarts, different for each replica. Receivers use it as `instance`. */
  readonly instanceId: string;
}

/** The exporter's resource. Configured attributes win. */
export function otlpResource(given: Readonly<Record<string, string>>, { version, instanceId }: Identity): Resource {
  return resourceFromAttributes({
    "service.name": "prtg-exporter",
    "service.instance.id": instanceId,
    "service.version": version,
    ...given,
  });
}

/** The object is the same as long as the facts are. */
export interface DeviceFacts {
  readonly id: string;
  readonly name: string;
  readonly host?: string | undefined;
  readonly probe: string;
  readonly group: string;
  readonly path: string;
}

/** Looks up devices by their current facts. */
export interface DeviceLookup {
  /** `undefined` if sensor or device is unknown or not visible. */
  ofSensor(server: string, sensorId: string): DeviceFacts | undefined;
  device(server: string, id: string): DeviceFacts | undefined;
}

interface KnownDevice {
  readonly facts: DeviceFacts;
  readonly resource: Resource;
  lastUsed: number;
}

interface KnownSensor {
  device: string;
  resource: Resource;
  /** The device before the last move. */
  before: Resource | undefined;
  lastUsed: number;
  moved: number;
}

/** A device that a sensor left. */
export interface DeviceBefore {
  readonly deviceId: string;
  readonly resource: Resource;
}

const REMEMBERED_PUSHES = 60;

/**
 * The resource of each device: the exporter's attributes plus those of the device. Each one is a service instance, so
 * that receivers keep devices apart and join `target_info` one to one. Remembers the devices of sensors for staleness
 * markers.
 */
export class DeviceResources {
  readonly #exporter: Resource;
  readonly #devices = new Map<string, Map<string, KnownDevice>>();
  readonly #sensors = new Map<string, Map<string, KnownSensor>>();
  #moves = new Map<string, Map<string, DeviceBefore[]>>();
  #push = 0;

  constructor(exporter: Resource) {
    this.#exporter = exporter;
  }

  ofDevice(server: string, facts: DeviceFacts): Resource {
    const devices = mapEntry(this.#devices, server, () => new Map<string, KnownDevice>());
    const known = devices.get(facts.id);
    if (known?.facts === facts) {
      known.lastUsed = this.#push;
      return known.resource;
    }
    const resource = deviceResource(this.#exporter, server, facts);
    devices.set(facts.id, { facts, resource, lastUsed: this.#push });
    return resource;
  }

  /** The last resource of a device that is gone. */
  ofDeviceBefore(server: string, id: string): Resource | undefined {
    const known = this.#devices.get(server)?.get(id);
    if (known !== undefined) known.lastUsed = this.#push;
    return known?.resource;
  }

  /** `undefined` if the device is unknown. */
  ofSensor(server: string, sensorId: string, lookup: DeviceLookup): Resource | undefined {
    const facts = lookup.ofSensor(server, sensorId);
    if (facts === undefined) return undefined;
    const resource = this.ofDevice(server, facts);
    const sensors = mapEntry(this.#sensors, server, () => new Map<string, KnownSensor>());
    const now = this.#push;
    const known = mapEntry(sensors, sensorId, (): KnownSensor => {
      return { device: facts.id, resource, before: undefined, lastUsed: now, moved: now };
    });
    if (known.device !== facts.id) {
      const moves = mapEntry(this.#moves, server, () => new Map<string, DeviceBefore[]>());
      mapEntry(moves, sensorId, () => []).push({ deviceId: known.device, resource: known.resource });
      known.before = known.resource;
      known.moved = now;
      known.device = facts.id;
    }
    known.resource = resource;
    known.lastUsed = now;
    return resource;
  }

  /** The current or last device of a sensor, and the one before it. */
  ofSensorBefore(server: string, sensorId: string, lookup: DeviceLookup): readonly Resource[] {
    const current = this.ofSensor(server, sensorId, lookup);
    const known = this.#sensors.get(server)?.get(sensorId);
    if (known === undefined) return [];
    known.lastUsed = this.#push;
    return known.before === undefined ? [current ?? known.resource] : [current ?? known.resource, known.before];
  }

  /** Devices that sensors left since the last call, by server and sensor. */
  takeMoves(lookup: DeviceLookup): ReadonlyMap<string, ReadonlyMap<string, readonly DeviceBefore[]>> {
    for (const [server, sensors] of this.#sensors) {
      for (const id of sensors.keys()) this.ofSensor(server, id, lookup);
    }
    const moves = this.#moves;
    this.#moves = new Map();
    return moves;
  }

  /** Call once a push. Forgets devices after so many pushes that no staleness marker can need them. */
  forgetUnused(lookup: DeviceLookup): void {
    this.#push++;
    const oldest = this.#push - REMEMBERED_PUSHES;
    for (const [server, sensors] of this.#sensors) {
      for (const [id, known] of sensors) {
        if (known.moved < oldest) known.before = undefined;
        if (known.lastUsed < oldest && lookup.ofSensor(server, id) === undefined) sensors.delete(id);
      }
      if (sensors.size === 0) this.#sensors.delete(server);
    }
    for (const [server, devices] of this.#devices) {
      for (const [id, { lastUsed }] of devices) {
        if (lastUsed < oldest && lookup.device(server, id) === undefined) devices.delete(id);
      }
      if (devices.size === 0) this.#devices.delete(server);
    }
  }
}

/** Describes the exporter's machine, not the device. */
const OF_ITS_MACHINE = /^(?:host|os)\./;

/** Leaves out empty values. */
export function deviceResource(exporter: Resource, server: string, facts: Readonly<DeviceFacts>): Resource {
  const { attributes } = exporter;
  const { id, name, host = "", probe, group, path } = facts;
  const instance = String(attributes[ATTRIBUTES.serviceInstanceId] ?? "");
  const identity = {
    [ATTRIBUTES.serviceInstanceId]: [instance, server, id].filter((part) => part !== "").join("/"),
    [ATTRIBUTES.hostName]: host === "" || isIP(host) !== 0 ? name : host,
    [ATTRIBUTES.serverAddress]: host,
    [PRTG.serverName]: server,
    [PRTG.deviceId]: id,
    [PRTG.deviceName]: name,
    [PRTG.devicePath]: path,
    [PRTG.probeName]: probe,
    [PRTG.groupName]: group,
  };
  const present = Object.entries(identity).filter(([, value]) => value !== "");
  const texts = Object.fromEntries(present.map(([key, value]) => [key, value.toWellFormed()]));
  const shared = Object.entries(attributes).filter(([key]) => !OF_ITS_MACHINE.test(key));
  return resourceFromAttributes({ ...Object.fromEntries(shared), ...texts });
}
