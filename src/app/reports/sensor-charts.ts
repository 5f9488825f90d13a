import pLimit, { type LimitFunction } from "p-limit";
import type { ChartOutcome, ChartPart, SensorChart } from "../../http/pages/status/courses.ts";
import type { Clock } from "../../lib/clock.ts";
import { waitFor, withDeadline } from "../../lib/deadline.ts";
import type { ServerState } from "../../model/server-state.ts";
import type { MonitoringApi } from "../../prtg/monitoring-api.ts";
import type { TimeSeries } from "../../prtg/records.ts";
import { SERIES_WINDOW_MS } from "../../prtg/series-types.ts";

const WINDOW_MS = SERIES_WINDOW_MS.live;
/** The scanning interval of most sensors: 240 parts fit on a screen. */
const PART_MS = 60_000;
/** Minimum age before another request. */
const LASTS_MS = 60_000;
/** Charts in memory, at most 10 MB. */
const MAX_KEPT = 10;
const MAX_CHANNELS = 200;
/** Requests to one server: polls need the budget. */
const MAX_A_MINUTE = 10;
const MINUTE_MS = 60_000;
/** Concurrent requests to one server: polls need the connections. */
const MAX_UNDER_WAY = 2;
/** Readers of all servers that wait: each holds a connection of the web server. */
const MAX_WAITING = 8;
/** Time that a page waits for an answer. The request continues. */
const PATIENCE_MS = 10_000;
const REQUEST_MS = 60_000;

interface Monitor {
  readonly view: { readonly state: Pick<ServerState, "tree"> };
  readonly api: Pick<MonitoringApi, "timeSeries" | "clockOffset">;
}
type Monitors = () => ReadonlyMap<string, Monitor>;

interface ChartRequest {
  readonly server: string;
  readonly at: number;
  readonly chart: Promise<SensorChart>;
  isOver: boolean;
}

/** Requests the last hours of a sensor for a reader, and keeps the answer for a minute. */
export class SensorCharts {
  readonly #clock: Clock;
  readonly #monitors: Monitors;
  /** Requests of the last minute, the oldest first. */
  readonly #requests = new Map<string, ChartRequest>();
  readonly #sentAt = new Map<string, number[]>();
  readonly #turns = new Map<string, LimitFunction>();
  #waiting = 0;

  constructor(clock: Clock, monitors: Monitors) {
    this.#clock = clock;
    this.#monitors = monitors;
  }

  /**
   * Readers of one sensor share a request. `undefined` if no server has the sensor.
   * @throws the reason of `gone`
   */
  async read(server: string | undefined, sensorId: string, gone: AbortSignal): Promise<ChartOutcome | undefined> {
    const [name, monitor] = this.#find(server, sensorId) ?? [];
    if (name === undefined || monitor === undefined) return undefined;
    const key = JSON.stringify([name, sensorId]);
    const kept = this.#fresh(key);
    if (kept?.isOver !== true && this.#waiting >= MAX_WAITING) {
      return { kind: "busy", retryAfterSeconds: PATIENCE_MS / 1_000 };
    }
    const request = kept ?? this.#send(key, name, monitor, sensorId);
    if (typeof request === "number") return { kind: "too_many", retryAfterSeconds: request };
    const expired = new Error("the server did not answer in time");
    this.#waiting++;
    try {
      const chart = await withDeadline(
        { clock: this.#clock, ms: PATIENCE_MS, parents: [gone], expired: () => expired },
        (signal) => waitFor(request.chart, signal),
      );
      return { kind: "drawn", chart, ageSeconds: (this.#clock.monotonic() - request.at) / 1_000 };
    } catch (error) {
      if (gone.aborted) throw error;
      if (error === expired) return { kind: "waiting" };
      return { kind: "failed", reason: error instanceof Error ? error.message : String(error) };
    } finally {
      this.#waiting--;
    }
  }

  #find(server: string | undefined, sensorId: string): readonly [string, Monitor] | undefined {
    for (const [name, monitor] of this.#monitors()) {
      if (server !== undefined && name !== server) continue;
      if (monitor.view.state.tree.nodes.get(sensorId)?.kind === "sensor") return [name, monitor];
    }
    return undefined;
  }

  #fresh(key: string): ChartRequest | undefined {
    const now = this.#clock.monotonic();
    for (const [each, { at }] of this.#requests) if (now - at >= LASTS_MS) this.#requests.delete(each);
    return this.#requests.get(key);
  }

  /** Returns the seconds to wait if the server has had its share. */
  #send(key: string, name: string, monitor: Monitor, sensorId: string): ChartRequest | number {
    const now = this.#clock.monotonic();
    const recent = (this.#sentAt.get(name) ?? []).filter((at) => now - at < MINUTE_MS);
    this.#sentAt.set(name, recent);
    const [oldest = now] = recent;
    if (recent.length >= MAX_A_MINUTE) return Math.ceil((oldest + MINUTE_MS - now) / 1_000);
    recent.push(now);
    const expired = () => new Error(`the server has not answered within ${REQUEST_MS / 1_000} s`);
    const turns = this.#turns.get(name) ?? pLimit(MAX_UNDER_WAY);
    this.#turns.set(name, turns);
    const chart = withDeadline({ clock: this.#clock, ms: REQUEST_MS, parents: [], expired }, async (signal) => {
      const series = await turns(() => {
        signal.throwIfAborted();
        return monitor.api.timeSeries(sensorId, "live", signal);
      });
      return chartOf(series, this.#clock.now() + monitor.api.clockOffset());
    });
    const request: ChartRequest = { server: name, at: now, chart, isOver: false };
    const over = () => {
      request.isOver = true;
    };
    // Handled here, because it may fail after its readers have left.
    chart.then(over, over);
    this.#requests.set(key, request);
    const [first] = this.#requests.keys();
    if (this.#requests.size > MAX_KEPT && first !== undefined) this.#requests.delete(first);
    return request;
  }
}

/** The last four hours before `to`: the lowest and the highest value of each channel and minute. */
export function chartOf({ rows }: TimeSeries, to: number): SensorChart {
  const from = to - WINDOW_MS;
  const channels = new Map<string, ChartPart[]>();
  for (const { at, values } of rows) {
    if (at < from || at > to) continue;
    for (const [channelId, value] of values) {
      const parts = channels.get(channelId) ?? [];
      if (parts.length === 0) {
        if (channels.size >= MAX_CHANNELS) continue;
        channels.set(channelId, parts);
      }
      const last = parts.at(-1);
      const isSame = last !== undefined && Math.floor((last.at - from) / PART_MS) === Math.floor((at - from) / PART_MS);
      if (!isSame) parts.push({ at, low: value, high: value });
      else parts[parts.length - 1] = { at: last.at, low: Math.min(last.low, value), high: Math.max(last.high, value) };
    }
  }
  return { from, to, channels };
}
