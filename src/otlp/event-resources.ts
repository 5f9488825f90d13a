import type { Resource } from "@opentelemetry/resources";
import { PRTG_ATTRIBUTES as PRTG } from "../events/attributes.ts";
import type { EventAttributes, EventRecord } from "../events/event.ts";
import { mapEntry } from "../lib/map-entry.ts";
import { deviceResource } from "./device-resources.ts";
import { SEMCONV_ATTRIBUTES } from "./semantic-conventions.ts";

/** What the resource of a device says of it, and its events need not repeat. */
const SAID_BY_DEVICE: ReadonlySet<string> = new Set([
  ...[PRTG.serverName, PRTG.probeName, PRTG.groupName],
  ...[PRTG.deviceId, PRTG.deviceName, PRTG.devicePath, SEMCONV_ATTRIBUTES.serverAddress],
]);

/** An event as it is pushed. */
export interface PlacedEvent {
  readonly resource: Resource;
  readonly attributes: EventAttributes;
}

/** The resources of the events in one request, of which each is one object: log records of one resource go together. */
export class EventResources {
  readonly #exporter: Resource;
  readonly #devices = new Map<string, Resource>();

  constructor(exporter: Resource) {
    this.#exporter = exporter;
  }

  /** By what the event says of its device as it was then; without a known device it is the exporter's. */
  place({ attributes }: EventRecord): PlacedEvent {
    const textOf = (name: string): string => String(attributes[name] ?? "");
    const path = textOf(PRTG.devicePath);
    // Only devices that were seen themselves have one.
    if (path === "") return { resource: this.#exporter, attributes };
    const key = JSON.stringify([...SAID_BY_DEVICE].map(textOf));
    const resource = mapEntry(this.#devices, key, () =>
      deviceResource(this.#exporter, textOf(PRTG.serverName), {
        path,
        id: textOf(PRTG.deviceId),
        name: textOf(PRTG.deviceName),
        host: textOf(SEMCONV_ATTRIBUTES.serverAddress),
        probe: textOf(PRTG.probeName),
        group: textOf(PRTG.groupName),
      }),
    );
    const own = Object.entries(attributes).filter(([name]) => !SAID_BY_DEVICE.has(name));
    return { resource, attributes: Object.fromEntries(own) };
  }
}
