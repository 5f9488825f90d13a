import type { HrTime } from "@opentelemetry/api";
import type { Resource } from "@opentelemetry/resources";
import type { Steps } from "../lib/yielding.ts";
import type { MetricFamily } from "../mapping/families/family.ts";
import type { SeriesTable } from "../store/series-table.ts";
import { EndPoint, type PlacedEnd, type PlacedSeries, seriesKey } from "./metric-data.ts";
import { type OtelFamily, otelFamily } from "./otel-family.ts";
import { type DeviceBefore, type DeviceLookup, DeviceResources } from "./resources.ts";
import { hasFiniteValue } from "./series-ends.ts";

/** What the profile `otel` remembers of what was pushed to a receiver. */
export class OtelProfile {
  readonly exporter: Resource;
  readonly devices: DeviceResources;
  readonly movedEnds = new MovedSeriesEnds();
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

  /** See `MovedSeriesEnds`. */
  movedEnds(reported: ReadonlySet<string>, timeOf: (series: MovedSeries) => HrTime): Iterable<PlacedEnd> {
    return this.#profile.movedEnds.ends(this.#lookup, reported, timeOf);
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

/** A series on a device that its sensor was on. */
export interface MovedSeries {
  readonly server: string;
  readonly sensorId: string;
  readonly deviceId: string;
  readonly place: PlacedSeries;
  /** The series is one of measurements, which have their own times. */
  readonly isMeasured: boolean;
}

/** So many are kept until the receiver knows: while it is out, sensors may be moved time and again. */
const MAX_PENDING = 200_000;

/**
 * Ends of series that go on under the same labels, on another device: labels need not say which device a sensor is on, and then
 * nothing in the store has ended. Each is told until the receiver has settled it, or the sensor is back.
 */
export class MovedSeriesEnds {
  readonly #pending = new Map<string, MovedSeries>();

  /** Whether there is room for it. */
  add(series: MovedSeries): boolean {
    const key = seriesKey(series.place);
    if (this.#pending.size >= MAX_PENDING && !this.#pending.has(key)) return false;
    this.#pending.set(key, series);
    return true;
  }

  /** Leaves out what `told` has, by `seriesKey`. */
  *ends(
    lookup: DeviceLookup,
    reported: ReadonlySet<string>,
    timeOf: (series: MovedSeries) => HrTime,
  ): Generator<PlacedEnd> {
    for (const [key, series] of this.#pending) {
      const { server, sensorId, deviceId, place, isMeasured } = series;
      if (reported.has(key) || lookup.ofSensor(server, sensorId)?.id === deviceId) {
        this.#pending.delete(key);
        continue;
      }
      const { family, labels, resource } = place;
      const settled = () => {
        if (this.#pending.get(key) === series) this.#pending.delete(key);
      };
      yield { resource, point: new EndPoint({ family, labels, endTime: timeOf(series) }, isMeasured, settled) };
    }
  }
}

/**
 * Ends of series of a family, as the profile `otel` has them. A series that ends under its labels may go on under its attributes: the
 * name of a device that was renamed is in the resource. Such an end is not told.
 * @param shown The series that the family has now; undefined where it is not served any more.
 */
export async function placeEnds(
  ends: readonly EndPoint[],
  family: MetricFamily,
  current: SeriesTable | undefined,
  placement: OtelPlacement,
  slices: Steps,
): Promise<readonly PlacedEnd[]> {
  if (ends.length === 0) return [];
  const live = current === undefined ? new Map<string, number>() : await liveSlots(ends, current, placement, slices);
  const reported: PlacedEnd[] = [];
  for (const end of ends) {
    const turn = slices.step();
    if (turn !== undefined) await turn;
    let isReported = false;
    for (const place of placement.placesBefore(family, end.labels)) {
      const goesOn = live.get(seriesKey(place));
      if (goesOn === undefined) {
        reported.push({ resource: place.resource, point: endAt(place, end) });
        isReported = true;
      } else {
        // The receiver has it, and is to be told when that ends.
        current?.markPushed(goesOn);
      }
    }
    if (!isReported) end.settled();
  }
  return reported;
}

/** The series that are shown about the same objects as the ends, by their keys. */
async function liveSlots(
  ends: readonly EndPoint[],
  current: SeriesTable,
  placement: OtelPlacement,
  slices: Steps,
): Promise<ReadonlyMap<string, number>> {
  const objects = new Set(ends.map(({ labels }) => labels[1]));
  const live = new Map<string, number>();
  for (let slot = 0; slot < current.slots; slot++) {
    const turn = slices.step();
    if (turn !== undefined) await turn;
    if (!hasFiniteValue(current, slot) || !objects.has(current.label(slot, 1))) continue;
    live.set(seriesKey(placement.place(current.family, current.labels(slot))), slot);
  }
  return live;
}

function endAt({ family, labels }: PlacedSeries, { endTime, isMeasured, settled }: EndPoint): EndPoint {
  return new EndPoint({ family, labels, endTime }, isMeasured, settled);
}
