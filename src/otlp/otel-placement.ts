import type { HrTime } from "@opentelemetry/api";
import type { Resource } from "@opentelemetry/resources";
import type { Steps } from "../lib/yielding.ts";
import { keyColumns, keyOf, type MetricFamily } from "../mapping/families/family.ts";
import type { SeriesTable } from "../store/series-table.ts";
import { type PlacedMarker, type PlacedSeries, StalenessMarker, seriesKey } from "./metric-data.ts";
import { type OtelFamily, otelFamily } from "./otel-family.ts";
import { type DeviceBefore, type DeviceLookup, DeviceResources } from "./resources.ts";

export class OtelProfile {
  readonly exporter: Resource;
  readonly devices: DeviceResources;
  /** Series that continue with the same labels on another device, by key. The store sees no end of these. */
  readonly moved = new Map<string, MovedSeries>();
  readonly #families = new WeakMap<MetricFamily, OtelFamily>();

  /** @param exporter Resource of what is on no device. */
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

/** The resource and the names of series, by what is known of devices now. */
export class OtelPlacement {
  readonly #profile: OtelProfile;
  readonly #lookup: DeviceLookup;

  constructor(profile: OtelProfile, lookup: DeviceLookup) {
    this.#profile = profile;
    this.#lookup = lookup;
  }

  place(family: MetricFamily, labels: readonly string[]): PlacedSeries {
    return this.#placed(family, labels, this.#resourceOf(family, labels));
  }

  /** Places where a series that ended may be, including the previous device of its object. */
  placesOf(family: MetricFamily, labels: readonly string[]): readonly PlacedSeries[] {
    const { devices } = this.#profile;
    const { columns } = this.#profile.familyOf(family);
    const { server, id } = keyOf(columns, labels);
    const resources: readonly (Resource | undefined)[] =
      columns?.kind === "sensor"
        ? devices.ofSensorBefore(server, id, this.#lookup)
        : [this.#resourceOf(family, labels) ?? (columns && devices.ofDeviceBefore(server, id))];
    return (resources.length === 0 ? [undefined] : resources).map((each) => this.#placed(family, labels, each));
  }

  /** Call once a push, first. Forgets what is gone. Returns the sensors that moved. */
  beginPush(): ReturnType<DeviceResources["takeMoves"]> {
    const { devices } = this.#profile;
    devices.forgetUnused(this.#lookup);
    return devices.takeMoves(this.#lookup);
  }

  /** A series with the same labels is on another device now. Returns whether there is room for its staleness marker. */
  noteMoved(family: MetricFamily, labels: readonly string[], before: DeviceBefore, isMeasured: boolean): boolean {
    const { moved } = this.#profile;
    const { server, id: sensorId } = keyOf(this.#profile.familyOf(family).columns, labels);
    const place = this.#placed(family, labels, before.resource);
    const key = seriesKey(place);
    if (moved.size >= MAX_MOVED && !moved.has(key)) return false;
    moved.set(key, { server, sensorId, deviceId: before.deviceId, place, isMeasured });
    return true;
  }

  /**
   * Staleness markers of moved series. Each one is repeated until the receiver settles it, or the sensor is back. Skips
   * the keys in `reported`.
   */
  *movedMarkers(reported: ReadonlySet<string>, timeOf: (series: MovedSeries) => HrTime): Generator<PlacedMarker> {
    const { moved } = this.#profile;
    for (const [key, series] of moved) {
      const { server, sensorId, deviceId, place, isMeasured } = series;
      if (reported.has(key) || this.#lookup.ofSensor(server, sensorId)?.id === deviceId) {
        moved.delete(key);
        continue;
      }
      const settled = () => {
        if (moved.get(key) === series) moved.delete(key);
      };
      const point = new StalenessMarker({ ...place, endTime: timeOf(series) }, isMeasured, settled);
      yield { resource: place.resource, point };
    }
  }

  #resourceOf(family: MetricFamily, labels: readonly string[]): Resource | undefined {
    const { devices } = this.#profile;
    const { columns } = this.#profile.familyOf(family);
    if (columns === undefined) return undefined;
    const { server, id } = keyOf(columns, labels);
    if (columns.kind === "sensor") return devices.ofSensor(server, id, this.#lookup);
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

export interface MovedSeries {
  readonly server: string;
  readonly sensorId: string;
  readonly deviceId: string;
  readonly place: PlacedSeries;
  /** The series has measurements with their own times. */
  readonly isMeasured: boolean;
}

/** During an outage of the receiver sensors may move again and again. */
const MAX_MOVED = 200_000;

/**
 * Places the staleness markers of a family. A series whose labels end may continue under its attributes, for example if
 * its device was renamed. Such a marker is not sent.
 * @param current The current table of the family, if there is one.
 */
export async function placeMarkers(
  ends: readonly StalenessMarker[],
  family: MetricFamily,
  current: SeriesTable | undefined,
  placement: OtelPlacement,
  slices: Steps,
): Promise<readonly PlacedMarker[]> {
  if (ends.length === 0) return [];
  const live = current === undefined ? new Map<string, number>() : await liveSlots(ends, current, placement, slices);
  const markers: PlacedMarker[] = [];
  for (const end of ends) {
    const turn = slices.step();
    if (turn !== undefined) await turn;
    let isReported = false;
    for (const place of placement.placesOf(family, end.labels)) {
      const slot = live.get(seriesKey(place));
      if (slot === undefined) {
        const point = new StalenessMarker({ ...place, endTime: end.endTime }, end.isMeasured, end.settled);
        markers.push({ resource: place.resource, point });
        isReported = true;
      } else {
        // The receiver has it and needs a marker later.
        current?.markPushed(slot);
      }
    }
    if (!isReported) end.settled();
  }
  return markers;
}

async function liveSlots(
  ends: readonly StalenessMarker[],
  current: SeriesTable,
  placement: OtelPlacement,
  slices: Steps,
): Promise<ReadonlyMap<string, number>> {
  const columns = keyColumns(current.family);
  // Before a reload, series may have had other labels.
  const objects = new Set(ends.map(({ family, labels }) => keyOf(keyColumns(family), labels).id));
  const live = new Map<string, number>();
  for (let slot = 0; slot < current.slots; slot++) {
    const turn = slices.step();
    if (turn !== undefined) await turn;
    if (!hasFiniteValue(current, slot) || !objects.has(columns === undefined ? "" : current.label(slot, columns.id)))
      continue;
    live.set(seriesKey(placement.place(current.family, current.labels(slot))), slot);
  }
  return live;
}

/** JSON has no NaN and no infinities. */
export function hasFiniteValue(table: SeriesTable, slot: number): boolean {
  return table.isPresent(slot) && Number.isFinite(table.value(slot));
}
