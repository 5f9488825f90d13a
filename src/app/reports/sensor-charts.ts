import pLimit, { type LimitFunction } from "p-limit";
import type { ChartOutcome, ChartPart, SensorChart } from "../../http/pages/status/courses.ts";
import type { Clock } from "../../lib/clock.ts";
import { waitFor, withDeadline } from "../../lib/deadline.ts";
import type { TimeSeries } from "../../prtg/records.ts";
import { SERIES_WINDOW_MS } from "../../prtg/series-types.ts";
import type { MonitoredServer } from "../monitored-server.ts";

const WINDOW_MS = SERIES_WINDOW_MS.live;
/** As wide as a scan of most sensors, and as many as a screen can tell apart. */
const PART_MS = 60_000;
/** A chart is not asked for anew so soon. */
const LASTS_MS = 60_000;
/** Charts that are kept at a time: at most 10 MB of them. */
const MAX_KEPT = 10;
const MAX_CHANNELS = 200;
/** Requests for charts that a server gets in a minute: readers must not use up the budget of the polls. */
const MAX_A_MINUTE = 10;
const MINUTE_MS = 60_000;
/** Of these under way at a time: a silent server must not hold all requests that its polls may have under way. */
const MAX_UNDER_WAY = 2;
/** Readers that wait for a server at a time, over all servers: each holds a connection and a place of the web server. */
const MAX_WAITING = 8;
/** A page waits so long for the server; the request goes on. */
const PATIENCE_MS = 10_000;
/** The request itself, its retries included. */
const REQUEST_MS = 60_000;

type Monitor = Pick<MonitoredServer, "node" | "liveSeries" | "serverTime">;
type Monitors = () => ReadonlyMap<string, Monitor>;

interface Asked {
  readonly server: string;
  readonly at: number;
  readonly chart: Promise<SensorChart>;
  /** Reading it takes no time any more. */
  isOver: boolean;
}

/** Asks a server for the last hours of a sensor when a reader wants them drawn, and keeps the answer for a minute. */
export class SensorCharts {
  readonly #clock: Clock;
  readonly #monitors: Monitors;
  /** In the order in which they were asked for. */
  readonly #asked = new Map<string, Asked>();
  readonly #requests = new Map<string, number[]>();
  readonly #turns = new Map<string, LimitFunction>();
  #waiting = 0;

  constructor(clock: Clock, monitors: Monitors) {
    this.#clock = clock;
    this.#monitors = monitors;
  }

  /**
   * Readers of the same sensor share a request; one that goes away ends its own wait only. Undefined where no server has the sensor.
   * @throws the reason of `gone`
   */
  async ask(server: string | undefined, sensorId: string, gone: AbortSignal): Promise<ChartOutcome | undefined> {
    const [name, monitor] = this.#find(server, sensorId) ?? [];
    if (name === undefined || monitor === undefined) return undefined;
    const key = JSON.stringify([name, sensorId]);
    const kept = this.#fresh(key);
    if (kept?.isOver !== true && this.#waiting >= MAX_WAITING) {
      return { kind: "busy", retryAfterSeconds: PATIENCE_MS / 1_000 };
    }
    const asked = kept ?? this.#request(key, name, monitor, sensorId);
    if (typeof asked === "number") return { kind: "too_many", retryAfterSeconds: asked };
    const expired = new Error("the server takes longer than a page waits");
    this.#waiting++;
    try {
      const chart = await withDeadline(
        { clock: this.#clock, ms: PATIENCE_MS, parents: [gone], expired: () => expired },
        (signal) => waitFor(asked.chart, signal),
      );
      return { kind: "drawn", chart, ageSeconds: (this.#clock.monotonic() - asked.at) / 1_000 };
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
      if (monitor.node(sensorId)?.kind === "sensor") return [name, monitor];
    }
    return undefined;
  }

  #fresh(key: string): Asked | undefined {
    const now = this.#clock.monotonic();
    for (const [each, { at }] of this.#asked) if (now - at >= LASTS_MS) this.#asked.delete(each);
    return this.#asked.get(key);
  }

  /** The seconds to wait, where the server has had its share. */
  #request(key: string, name: string, monitor: Monitor, sensorId: string): Asked | number {
    const now = this.#clock.monotonic();
    const recent = (this.#requests.get(name) ?? []).filter((at) => now - at < MINUTE_MS);
    this.#requests.set(name, recent);
    const [oldest = now] = recent;
    if (recent.length >= MAX_A_MINUTE) return Math.ceil((oldest + MINUTE_MS - now) / 1_000);
    recent.push(now);
    const expired = () => new Error(`the server has not answered within ${REQUEST_MS / 1_000} s`);
    const turns = this.#turns.get(name) ?? pLimit(MAX_UNDER_WAY);
    this.#turns.set(name, turns);
    const chart = withDeadline({ clock: this.#clock, ms: REQUEST_MS, parents: [], expired }, async (signal) => {
      const series = await turns(() => {
        signal.throwIfAborted();
        return monitor.liveSeries(sensorId, signal);
      });
      return chartOf(series, monitor.serverTime());
    });
    const asked: Asked = { server: name, at: now, chart, isOver: false };
    const over = () => {
      asked.isOver = true;
    };
    // It may fail after its readers have gone.
    chart.then(over, over);
    this.#asked.set(key, asked);
    const [first] = this.#asked.keys();
    if (this.#asked.size > MAX_KEPT && first !== undefined) this.#asked.delete(first);
    return asked;
  }
}

/** The last four hours of a series before `until`, of each channel the lowest and the highest value of each minute. */
export function chartOf({ rows }: TimeSeries, until: number): SensorChart {
  const from = until - WINDOW_MS;
  const channels = new Map<string, ChartPart[]>();
  for (const { at, values } of rows) {
    if (at < from || at > until) continue;
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
  return { from, to: until, channels };
}
