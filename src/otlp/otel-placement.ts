import type { HrTime } from "@opentelemetry/api";
import type { Resource } from "@opentelemetry/resources";
import type { MetricFamily } from "../mapping/families/family.ts";
import { type DeviceBefore, type DeviceLookup, DeviceResources } from "./device-resources.ts";
import { MovedEnds, type MovedSeries } from "./moved-series.ts";
import { type OtelFamily, otelFamily } from "./otel-family.ts";
import type { PlacedEnd, PlacedSeries } from "./placed-series.ts";

/** What the profile `otel` remembers of what was pushed to a receiver. */
export class OtelProfile {
  readonly exporter: Resource;
  readonly devices: DeviceResources;
  readonly movedEnds = new MovedEnds();
  readonly #families = new WeakMap<MetricFamily, OtelFamily>();

  /** @param exporter The resource of the exporter itself, for what is on no device. */
  constructor(exporter: Resource) {
    this.exporter = exporter;
    this.devices = new DeviceResources(exporter);
  }

  familyOf(family: MetricFamily): OtelFamily {
    let known = this.#families.get(family);
    if (known === undefined) {
      known = otelFamily(family);
      this.#families.set(family, known);
    }
    return known;
  }
}

/** Which resource a series belongs to, and what it is called there, by what is known of devices now. */
export class OtelPlacement {
  readonly #profile: OtelProfile;
  readonly #lookup: DeviceLookup;

  constructor(profile: OtelProfile, lookup: DeviceLookup) {
    this.#profile = profile;
    this.#lookup = lookup;
  }

  /** `labels` are the values for those of the family, in that order. */
  place(family: MetricFamily, labels: readonly string[]): PlacedSeries {
    return this.#placed(family, labels, this.#resourceOf(family, labels));
  }

  /** `place` for many series while nothing changes: neighbours are mostly of one sensor, which is looked up once. */
  reader(): (family: MetricFamily, labels: readonly string[]) => PlacedSeries {
    let last: readonly [server: string | undefined, sensor: string | undefined] = ["", ""];
    let device: Resource | undefined;
    return (family, labels) => {
      if (this.#profile.familyOf(family).subject !== "sensor") return this.place(family, labels);
      const [server, sensor] = labels;
      if (server !== last[0] || sensor !== last[1]) {
        last = [server, sensor];
        device = this.#resourceOf(family, labels);
      }
      return this.#placed(family, labels, device);
    };
  }

  isOfSensors(family: MetricFamily): boolean {
    return this.#profile.familyOf(family).subject === "sensor";
  }

  /** Where a series may be that has ended: on the device that its object was on, too. */
  placesBefore(family: MetricFamily, labels: readonly string[]): readonly PlacedSeries[] {
    const [server = "", id = ""] = labels;
    const { devices } = this.#profile;
    const { subject } = this.#profile.familyOf(family);
    if (subject === "sensor") {
      const resources = devices.ofSensorBefore(server, id, this.#lookup);
      return resources.length === 0
        ? [this.#placed(family, labels, undefined)]
        : resources.map((resource) => this.#placed(family, labels, resource));
    }
    const isOnDevice = subject === "device" || subject === "node";
    const resource = this.#resourceOf(family, labels) ?? (isOnDevice ? devices.ofDeviceBefore(server, id) : undefined);
    return [this.#placed(family, labels, resource)];
  }

  /** Call once a push, before all else: what is gone is forgotten in time. Returns which sensors were moved since. */
  beginPush(): ReturnType<DeviceResources["takeMoves"]> {
    const { devices } = this.#profile;
    devices.forgetUnused(this.#lookup);
    return devices.takeMoves(this.#lookup);
  }

  /** A series of a sensor is on another device from now on, with the same labels. Returns whether there is room to tell of that. */
  noteMoved(family: MetricFamily, labels: readonly string[], before: DeviceBefore, isMeasured: boolean): boolean {
    const [server = "", sensorId = ""] = labels;
    const place = this.#placed(family, labels, before.resource);
    return this.#profile.movedEnds.add({ server, sensorId, deviceId: before.deviceId, place, isMeasured });
  }

  /** See `MovedEnds`. */
  movedEnds(told: ReadonlySet<string>, timeOf: (series: MovedSeries) => HrTime): Iterable<PlacedEnd> {
    return this.#profile.movedEnds.ends(this.#lookup, told, timeOf);
  }

  #resourceOf(family: MetricFamily, labels: readonly string[]): Resource | undefined {
    const [server = "", id = ""] = labels;
    const { devices } = this.#profile;
    const { subject } = this.#profile.familyOf(family);
    if (subject === "server") return undefined;
    if (subject === "sensor") return devices.ofSensor(server, id, this.#lookup);
    const facts = this.#lookup.device(server, id);
    return facts && devices.ofDevice(server, facts);
  }

  #placed(family: MetricFamily, labels: readonly string[], device: Resource | undefined): PlacedSeries {
    const { onDevice, alone } = this.#profile.familyOf(family);
    const translation = device === undefined ? alone : onDevice;
    const resource = device ?? this.#profile.exporter;
    return { resource, family: translation.family, labels: translation.labels(labels) };
  }
}
