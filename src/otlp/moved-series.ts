import type { HrTime } from "@opentelemetry/api";
import type { DeviceLookup } from "./device-resources.ts";
import { EndPoint } from "./metric-data.ts";
import { type PlacedEnd, type PlacedSeries, seriesKey } from "./placed-series.ts";

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
const MAX_WAITING = 200_000;

/**
 * Ends of series that go on under the same labels, on another device: labels need not say which device a sensor is on, and then
 * nothing in the store has ended. Each is told until the receiver has settled it, or the sensor is back.
 */
export class MovedEnds {
  readonly #waiting = new Map<string, MovedSeries>();

  /** Whether there is room for it. */
  add(series: MovedSeries): boolean {
    const key = seriesKey(series.place);
    if (this.#waiting.size >= MAX_WAITING && !this.#waiting.has(key)) return false;
    this.#waiting.set(key, series);
    return true;
  }

  /** Leaves out what `told` has, by `seriesKey`. */
  *ends(
    lookup: DeviceLookup,
    told: ReadonlySet<string>,
    timeOf: (series: MovedSeries) => HrTime,
  ): Generator<PlacedEnd> {
    for (const [key, series] of this.#waiting) {
      const { server, sensorId, deviceId, place, isMeasured } = series;
      if (told.has(key) || lookup.ofSensor(server, sensorId)?.id === deviceId) {
        this.#waiting.delete(key);
        continue;
      }
      const { family, labels, resource } = place;
      const settled = () => {
        if (this.#waiting.get(key) === series) this.#waiting.delete(key);
      };
      yield { resource, point: new EndPoint({ family, labels, endTime: timeOf(series) }, isMeasured, settled) };
    }
  }
}
