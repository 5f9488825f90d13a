import { isDeepStrictEqual } from "node:util";
import { type Simulator, startSimulator } from "prtg-simulator/src/simulator.ts";
import { createWorld } from "prtg-simulator/src/world/world.ts";
import { Exporter } from "../../../src/app/exporter.ts";
import { negotiateFormat } from "../../../src/exposition/negotiate.ts";
import { type Clock, systemClock } from "../../../src/lib/clock.ts";
import { differences, expectedSeries, seriesKey } from "../../support/expected-series.ts";
import { isOwnMetric, parsePage } from "../../support/parse-sample.ts";
import { TEST_KEY, testContext } from "../../support/simulated-exporter.ts";
import { loadTestConfig } from "../../support/test-config.ts";

export const SIZE = { probes: 1, groups: 3, devices: 5, sensors: 12, channels: 36 };
/** Old data is withdrawn, endpoints are forgotten. */
const FORGOTTEN_MS = 70 * 60_000;
/** Spread requests wait less than this. Timeouts are longer. */
const MAX_SPACING_MS = 20_000;

const SETTINGS = `collectors: { timeseries: { mode: all } }
metrics: { node_sensors: [probe, group, device] }
`;

/** Requested from every server. As fault globs. */
export const ASKED: readonly string[] = [
  "/health",
  "/version",
  "/objects/count",
  "/sensor-status-summary",
  "/experimental/sensors",
  "/experimental/devices",
  "/experimental/groups",
  "/experimental/probes",
  "/experimental/channels",
  "/lookup-definitions",
  "/experimental/timeseries/{id}/{type}",
];
export function listsOf(kind: string): readonly string[] {
  return [`/experimental/${kind}`, `/${kind}`, "/experimental/objects"];
}

/** Endpoints that only serve as a fallback. */
export const STAND_INS: readonly string[] = [
  ...["/sensors", "/devices", "/groups", "/probes", "/channels", "/experimental/objects"],
  "/experimental/timeseries/{id}",
];

export interface Outcome {
  readonly missing: readonly string[];
  /** Families that disappeared. */
  readonly lost: readonly string[];
  readonly wrong: ReadonlyMap<string, readonly string[]>;
  readonly up: boolean;
  /** By route, in a full poll. */
  readonly requests: ReadonlyMap<string, number>;
}

/** Waits return at once. */
class SkippingClock implements Clock {
  readonly #now = Date.UTC(2026, 0, 15, 12);
  #ahead = 0;

  now(): number {
    return this.#now;
  }

  monotonic(): number {
    return systemClock.monotonic() + this.#ahead;
  }

  after(ms: number, act: () => void): () => void {
    return systemClock.after(ms <= MAX_SPACING_MS ? 0 : ms, act);
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return systemClock.sleep(ms <= MAX_SPACING_MS ? 0 : ms, signal);
  }

  skip(ms: number): void {
    this.#ahead += ms;
  }
}

/** Polls, lets all data expire, then polls without these. */
export async function outcomeOf(missing: readonly string[]): Promise<Outcome> {
  const clock = new SkippingClock();
  const world = createWorld({ seed: 1, size: SIZE, startedAt: clock.now() });
  const simulator = await startSimulator({
    world,
    clock: { ...systemClock, now: () => clock.now() },
    spelling: "live",
    credentials: { apiKey: TEST_KEY, username: "tester", password: "password" },
  });
  const exporter = await pollingExporter(simulator.url, clock);
  try {
    const before = await poll(exporter);
    checkAgainst(expectedSeries(world, "hq", clock.now()), before);
    simulator.faults.set(missing.map((endpoint) => `missing@${endpoint}`));
    clock.skip(FORGOTTEN_MS);
    // Detects the fallback.
    await poll(exporter);
    const counted = requestsOf(simulator);
    const after = await poll(exporter);
    const requests = [...requestsOf(simulator)].map(
      ([route, sum]) => [route, sum - (counted.get(route) ?? 0)] as const,
    );
    const up = after.get("prtg_up")?.get(seriesKey("prtg_up", { server: "hq" })) === 1;
    return { missing, ...compare(before, after), up, requests: new Map(requests.filter(([, count]) => count > 0)) };
  } finally {
    await exporter.stop();
    await simulator.close();
  }
}

async function pollingExporter(url: string, clock: Clock): Promise<Exporter> {
  const server = `{ name: hq, url: "${url}", auth: { api_key: "\${KEY}" }, limits: { requests_per_second: 1000 } }`;
  const config = await loadTestConfig(`servers: [${server}]\n${SETTINGS}`, TEST_KEY);
  const exporter = new Exporter(config, testContext(clock));
  exporter.exposition.start();
  return exporter;
}

async function poll(exporter: Exporter): Promise<Families> {
  await exporter.pollOnce(AbortSignal.timeout(240_000));
  await exporter.exposition.refresh();
  const page = await exporter.exposition.page(negotiateFormat({}), "identity");
  const families = new Map<string, Map<string, number>>();
  for (const { name, labels, value } of parsePage(Buffer.concat(page).toString()).values()) {
    if (isOwnMetric(name) && name !== "prtg_up") continue;
    const family = families.get(name) ?? new Map<string, number>();
    families.set(name, family.set(seriesKey(name, labels), Number(value)));
  }
  return families;
}

type Families = ReadonlyMap<string, ReadonlyMap<string, number>>;

/** Remaining families must be unchanged and correct. */
function checkAgainst(expected: ReadonlyMap<string, number>, found: Families): void {
  const names = new Set([...expected.keys()].map((key) => key.slice(0, key.search(/[^a-z_]/))));
  const shown = [...names].flatMap((name) => [...(found.get(name) ?? [])]);
  const wrong = differences(expected, new Map(shown));
  if (wrong.length > 0) throw new Error(`the page is wrong before anything is missing: ${wrong.join(", ")}`);
}

function compare(before: Families, after: Families): Pick<Outcome, "lost" | "wrong"> {
  const lost: string[] = [];
  const wrong = new Map<string, readonly string[]>();
  for (const [name, expected] of before) {
    const found = after.get(name);
    if (name === "prtg_up" || isDeepStrictEqual(found, expected)) continue;
    if (found === undefined) lost.push(name);
    else wrong.set(name, differences(expected, found));
  }
  return { lost, wrong };
}

function requestsOf({ requests }: Simulator): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { route, count } of requests.counts()) counts.set(route, (counts.get(route) ?? 0) + count);
  return counts;
}
