import { isSound } from "./fault-catalogue.ts";
import type { PageView } from "./page-view.ts";

export interface AnsweredRequest {
  /** End, milliseconds since the epoch. */
  readonly at: number;
  /** Path and query. */
  readonly url: string;
  /** Undefined: the connection ended first. */
  readonly status: number | undefined;
  readonly faults: readonly string[];
}

/** Collectors behind `prtg_up`. */
const NEEDED = ["health", "tree", "status", "channels"] as const;
const LISTS = ["sensors", "devices", "groups", "probes"] as const;

/** By path and query. Only lists of sensors and channels must exist. */
const REQUIRED: Readonly<Record<string, readonly RegExp[]>> = {
  health: [/\/health$/],
  tree: LISTS.map(listPattern),
  status: LISTS.map(listPattern),
  channels: [listPattern("channels")],
};

/** Or of all objects. */
function listPattern(kind: string): RegExp {
  const mixed = `experimental/objects[?].*filter=type%20%3D%20${kind.slice(0, -1)}\\b`;
  return new RegExp(`^/api/v2/((experimental/)?${kind}[?]|${mixed})`);
}

/** From the last answer to the end of the run. */
const SLACK_MS = 2_000;
/** Statuses may come from lists of the tree that are so old: see `ServerConnection.takeFresh`. */
const FRESH_MS: Readonly<Record<string, number>> = { status: 5_000 };

export class TruthChecker {
  readonly #server: string;
  readonly #lastSuccess = new Map<string, number>();

  constructor(server: string) {
    this.#server = server;
  }

  /** `scrapedAt`: milliseconds since the epoch. */
  complaints(page: PageView, scrapedAt: number, answers: readonly AnsweredRequest[]): string[] {
    const server = this.#server;
    const found: string[] = [];
    const successes = page.byLabel("prtg_exporter_collector_success", "collector", { server });
    const up = page.value("prtg_up", { server });
    const all = NEEDED.every((collector) => successes.get(collector) === 1);
    if (up !== undefined && (up === 1) !== all) found.push(`prtg_up of ${server} is ${up}, its collectors say ${all}`);
    const stamps = page.byLabel("prtg_exporter_collector_last_success_timestamp_seconds", "collector", { server });
    const durations = page.byLabel("prtg_exporter_collector_duration_seconds", "collector", { server });
    for (const [collector, seconds] of stamps) {
      const at = seconds * 1_000;
      if (at > scrapedAt + SLACK_MS) found.push(`${collector} of ${server} claims a success in the future`);
      const before = this.#lastSuccess.get(collector) ?? 0;
      if (at < before) found.push(`the last success of ${collector} of ${server} went back by ${before - at} ms`);
      this.#lastSuccess.set(collector, at);
      if (successes.get(collector) !== 1 || at === before) continue;
      const from = at - (durations.get(collector) ?? 0) * 1_000 - SLACK_MS - (FRESH_MS[collector] ?? 0);
      const heard = answers.filter((answer) => answer.at >= from && answer.at <= at + SLACK_MS);
      for (const pattern of REQUIRED[collector] ?? []) {
        const sound = heard.some(
          ({ url, status, faults }) => pattern.test(url) && (isSound(status, faults) || isLacking(url, status)),
        );
        if (!sound) found.push(`${collector} of ${server} claims a success without an answer to ${pattern.source}`);
      }
    }
    for (const [collector, success] of successes) {
      if (success === 1 && !stamps.has(collector)) found.push(`${collector} of ${server} works, but never did`);
    }
    return found;
  }
}

function isLacking(url: string, status: number | undefined): boolean {
  return /\/(devices|groups|probes)\?/.test(url) && (status === 404 || status === 501);
}

/** `serverNow`: milliseconds since the epoch. */
export function staleValues(page: PageView, server: string, serverNow: number, staleAfterMs: number): string[] {
  const measured = page.byLabel("prtg_sensor_last_measurement_timestamp_seconds", "sensor_id", { server });
  const stale = new Set<string>();
  for (const { labels } of page.samples("prtg_channel_value", { server })) {
    const id = labels.get("sensor_id") ?? "";
    const at = measured.get(id);
    if (at === undefined || serverNow - at * 1_000 > staleAfterMs + SLACK_MS) stale.add(id);
  }
  return [...stale].map(
    (id) => `values of sensor ${id} of ${server} are served at an age of ${ageOf(measured.get(id), serverNow)}`,
  );
}

function ageOf(measuredSeconds: number | undefined, now: number): string {
  return measuredSeconds === undefined ? "nobody knows what" : `${Math.round(now / 1_000 - measuredSeconds)} s`;
}

/** Every last run successful and complete. */
export function isRecovered(page: PageView, server: string, collectors: readonly string[]): boolean {
  return unrecovered(page, server, collectors).length === 0;
}

/** The collectors whose last run failed or was incomplete. */
export function unrecovered(page: PageView, server: string, collectors: readonly string[]): string[] {
  const successes = page.byLabel("prtg_exporter_collector_success", "collector", { server });
  const complete = page.byLabel("prtg_exporter_collector_complete", "collector", { server });
  return collectors
    .filter((collector) => successes.get(collector) !== 1 || complete.get(collector) !== 1)
    .map((collector) => `${collector}: success ${successes.get(collector)}, complete ${complete.get(collector)}`);
}
