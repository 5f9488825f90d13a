import { isIP } from "node:net";
import { type Resource, resourceFromAttributes } from "@opentelemetry/resources";
import { PRTG_ATTRIBUTES as PRTG } from "../events/event.ts";
import { mapEntry } from "../lib/map-entry.ts";
import { SEMCONV_ATTRIBUTES as ATTRIBUTES } from "./semantic-conventions.ts";

/** What the exporter knows of itself. */
export interface Identity {
  readonly version: string;
  /** The same after a restart, another for each replica: receivers make `instance` of it. */
  readonly instanceId: string;
}

/** Whom metrics and log records are from. What was given (configuration, OTEL_RESOURCE_ATTRIBUTES, OTEL_SERVICE_NAME) wins. */
export function otlpResource(given: Readonly<Record<string, string>>, { version, instanceId }: Identity): Resource {
  return resourceFromAttributes({
    "service.name": "prtg-exporter",
    "service.instance.id": instanceId,
    "service.version": version,
    ...given,
  });
}

/** What is known of a device. The object stays the same as long as nothing about it changes. */
export interface DeviceFacts {
  readonly id: string;
  readonly name: string;
  /** Address, as it was configured; may be empty. */
  readonly host?: string | undefined;
  readonly probe: string;
  readonly group: string;
  readonly path: string;
}

/** Looks devices up in what is known now. */
export interface DeviceLookup {
  /** Undefined where the sensor or its device is not known (any more), or may not be seen. */
  ofSensor(server: string, sensorId: string): DeviceFacts | undefined;
  /** Undefined where there is no device of that id. */
  device(server: string, id: string): DeviceFacts | undefined;
}

interface KnownDevice {
  readonly facts: DeviceFacts;
  readonly resource: Resource;
  /** Number of the push in which it was asked for last. */
  lastUsed: number;
}

/** Where the series of a sensor went. */
interface KnownSensor {
  device: string;
  resource: Resource;
  /** Of the device that it was moved from. */
  before: Resource | undefined;
  /** Number of the push in which it was asked for last. */
  lastUsed: number;
  /** Number of the push in which it was moved. */
  moved: number;
}

/** A device that a sensor was moved from. */
export interface DeviceBefore {
  readonly deviceId: string;
  readonly resource: Resource;
}

/** Pushes for which the device that a sensor was on is remembered, and what is gone since its last end was asked for. */
const REMEMBERED_PUSHES = 60;

/**
 * The resource of each device: the attributes of the exporter's own, with what tells the device. Each is a service instance of its own, so
 * that receivers that make `job` and `instance` of a resource keep devices apart, and join `target_info` one to one.
 * Sensors are remembered with the device that they were on, for their ends.
 */
export class DeviceResources {
  readonly #exporter: Resource;
  readonly #devices = new Map<string, Map<string, KnownDevice>>();
  readonly #sensors = new Map<string, Map<string, KnownSensor>>();
  /** By server and sensor. */
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

  /** That of a device that is gone, as it was last; undefined where it was never asked for. */
  ofDeviceBefore(server: string, id: string): Resource | undefined {
    const known = this.#devices.get(server)?.get(id);
    if (known !== undefined) known.lastUsed = this.#push;
    return known?.resource;
  }

  /** The resource of a sensor's device, as it is known now; undefined where it is not. */
  ofSensor(server: string, sensorId: string, lookup: DeviceLookup): Resource | undefined {
    const facts = lookup.ofSensor(server, sensorId);
    if (facts === undefined) return undefined;
    const resource = this.ofDevice(server, facts);
    const sensors = mapEntry(this.#sensors, server, () => new Map<string, KnownSensor>());
    const known = sensors.get(sensorId);
    if (known === undefined) {
      const now = this.#push;
      sensors.set(sensorId, { device: facts.id, resource, before: undefined, lastUsed: now, moved: now });
    } else {
      if (known.device !== facts.id) {
        const moves = mapEntry(this.#moves, server, () => new Map<string, DeviceBefore[]>());
        mapEntry(moves, sensorId, () => []).push({ deviceId: known.device, resource: known.resource });
        known.before = known.resource;
        known.moved = this.#push;
        known.device = facts.id;
      }
      known.resource = resource;
      known.lastUsed = this.#push;
    }
    return resource;
  }

  /** Where series of the sensor may be that have ended: on its device, as it is known or was last, and the one before that. */
  ofSensorBefore(server: string, sensorId: string, lookup: DeviceLookup): readonly Resource[] {
    const current = this.ofSensor(server, sensorId, lookup);
    const known = this.#sensors.get(server)?.get(sensorId);
    if (known === undefined) return [];
    known.lastUsed = this.#push;
    return known.before === undefined ? [current ?? known.resource] : [current ?? known.resource, known.before];
  }

  /** The devices that sensors were on since this was called last, by server and sensor. */
  takeMoves(lookup: DeviceLookup): ReadonlyMap<string, ReadonlyMap<string, readonly DeviceBefore[]>> {
    for (const [server, sensors] of this.#sensors) {
      for (const id of sensors.keys()) this.ofSensor(server, id, lookup);
    }
    const moves = this.#moves;
    this.#moves = new Map();
    return moves;
  }

  /** Call once a push. Forgets what was not asked for in so many pushes that no end can be waiting any more. */
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

/** What the exporter says of the machine that it runs on, which is not the device. */
const OF_ITS_MACHINE = /^(?:host|os)\./;

/** What is not known, and empty, is left out. */
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
