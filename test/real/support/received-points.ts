import { type FileHandle, open } from "node:fs/promises";
import { WireFields } from "../../otlp/support/wire-fields.ts";

const METRIC = "prtg.channel_value";
const LARGEST_REQUEST = 8 << 20;

/** Milliseconds since the epoch, inclusive. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** A channel's values by time (milliseconds, ascending, unique). */
export interface PointSeries {
  readonly times: number[];
  readonly values: number[];
}

/** Received channel measurements of one exporter. Stores only numbers. */
export class ReceivedPoints {
  /** By channel id (`2490.1`). */
  readonly channels = new Map<string, PointSeries>();
  /** Requests with measurements. */
  requests = 0;
  /** Points that end a series, which are not measurements. */
  ends = 0;
  /** Points equal to an earlier one. */
  repeated = 0;
  /** Their times in arrival order, by channel id. */
  readonly repeats = new Map<string, number[]>();
  /** Points that contradict an earlier one. */
  readonly conflicts: string[] = [];
  /** New points older than an earlier one. */
  readonly outOfOrder: string[] = [];

  /** Points in an inclusive range, without repeats. */
  count({ from, to }: Span = { from: 0, to: Number.POSITIVE_INFINITY }): number {
    let count = 0;
    for (const { times } of this.channels.values()) {
      for (let index = times.length - 1; (times[index] ?? 0) >= from && index >= 0; index--) {
        if ((times[index] ?? 0) <= to) count++;
      }
    }
    return count;
  }

  add(channelId: string, at: number, value: number): void {
    let series = this.channels.get(channelId);
    if (series === undefined) {
      series = { times: [], values: [] };
      this.channels.set(channelId, series);
    }
    const { times, values } = series;
    if (at > (times.at(-1) ?? Number.NEGATIVE_INFINITY)) {
      times.push(at);
      values.push(value);
      return;
    }
    const index = times.findIndex((time) => time >= at);
    if (times[index] === at) {
      if (values[index] === value) this.#repeat(channelId, at);
      else this.conflicts.push(`${describePoint(channelId, at)} is ${values[index]} and ${value}`);
      return;
    }
    this.outOfOrder.push(describePoint(channelId, at));
    times.splice(index, 0, at);
    values.splice(index, 0, value);
  }

  #repeat(channelId: string, at: number): void {
    this.repeated++;
    const times = this.repeats.get(channelId);
    if (times === undefined) this.repeats.set(channelId, [at]);
    else times.push(at);
  }
}

/** A growing file of the collector: protobuf requests after their four-byte lengths. */
export class ReceivedFile {
  readonly #path: string;
  readonly #byService = new Map<string, ReceivedPoints>();
  #offset = 0;

  constructor(path: string) {
    this.#path = path;
  }

  /** Data with this `service.name`. */
  of(service: string): ReceivedPoints {
    const known = this.#byService.get(service);
    if (known !== undefined) return known;
    const points = new ReceivedPoints();
    this.#byService.set(service, points);
    return points;
  }

  /** Reads new complete requests. */
  async readOn(): Promise<void> {
    const file = await open(this.#path);
    try {
      for (let length = await this.#nextLength(file); length !== undefined; length = await this.#nextLength(file)) {
        const request = Buffer.allocUnsafe(length);
        const { bytesRead } = await file.read(request, 0, length, this.#offset + 4);
        if (bytesRead < length) return;
        this.#offset += 4 + length;
        this.#take(request);
      }
    } finally {
      await file.close();
    }
  }

  async #nextLength(file: FileHandle): Promise<number | undefined> {
    const head = Buffer.allocUnsafe(4);
    const { bytesRead } = await file.read(head, 0, 4, this.#offset);
    if (bytesRead < 4) return undefined;
    const length = head.readUInt32BE();
    if (length > LARGEST_REQUEST) throw new RangeError(`a request of ${length} bytes`);
    return length;
  }

  /** opentelemetry/proto/metrics/v1. The collector writes a message's last field first. */
  #take(request: Buffer): void {
    const resources = new WireFields(request);
    while (resources.find(1)) {
      const resource = resources.inner();
      const service = resource.find(1) ? attribute(resource.inner(), 1, "service.name") : undefined;
      const points = this.of(service ?? "");
      const scopes = resources.inner();
      let measured = false;
      while (scopes.find(2)) {
        const metrics = scopes.inner();
        while (metrics.find(2)) measured = takeMetric(metrics, points) || measured;
      }
      if (measured) points.requests++;
    }
  }
}

function takeMetric(metric: WireFields, points: ReceivedPoints): boolean {
  const name = metric.inner();
  const gauge = metric.inner();
  if (!name.find(1) || !name.is(METRIC) || !gauge.find(5)) return false;
  const dataPoints = gauge.inner();
  while (dataPoints.find(1)) {
    const point = dataPoints.inner();
    let at = Number.NaN;
    let value = Number.NaN;
    let isEnd = false;
    while (point.next()) {
      if (point.number === 3) at = point.millis();
      else if (point.number === 4) value = point.double();
      else if (point.number === 8) isEnd = true;
    }
    if (isEnd) {
      points.ends++;
      continue;
    }
    const sensorId = attribute(dataPoints.inner(), 7, "sensor_id");
    const channelId = attribute(dataPoints.inner(), 7, "channel_id");
    points.add(`${sensorId}.${channelId}`, at, value);
  }
  return true;
}

/** Text attribute from the fields with this number, if any. */
function attribute(message: WireFields, number: number, name: string): string | undefined {
  while (message.find(number)) {
    const key = message.inner();
    if (!key.find(1) || !key.is(name)) continue;
    const value = message.inner();
    if (!value.find(2)) return undefined;
    const text = value.inner();
    return text.find(1) ? text.text() : undefined;
  }
  return undefined;
}

export function describePoint(channelId: string, at: number): string {
  return `${channelId} at ${new Date(at).toISOString()}`;
}
