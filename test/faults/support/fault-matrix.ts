import { expect } from "vitest";
import { expectedSeries, seriesKey } from "../../support/expected-series.ts";
import type { Disturbance } from "./disturbance.ts";
import {
  COLLECTORS,
  type ExporterWithFaults,
  MAX_INTERVAL_S,
  SERVER,
  startExporterWithFaults,
  TIMEOUT_MS,
  TOTAL_TIMEOUT_MS,
} from "./exporter-with-faults.ts";
import {
  ENDPOINTS,
  type FaultKind,
  type FaultyEndpoint,
  faultKinds,
  faultTexts,
  losesRecords,
} from "./fault-catalogue.ts";
import type { PageView } from "./page-view.ts";
import type { Random } from "./random.ts";
import { isRecovered, TruthChecker, unrecovered } from "./truth.ts";

export const KINDS = faultKinds(TIMEOUT_MS);
const SECOND = 1_000;
/** Long enough for every collector. */
const DISTURBED_MS = 65 * SECOND;
/** Interval with jitter, plus requests in flight. */
const RECOVERY_MS = MAX_INTERVAL_S * SECOND + 3 * SECOND + TOTAL_TIMEOUT_MS;
/** Documented longer delays: rejected credentials, missing endpoint. */
const REFUSED_MS = 60 * SECOND;
const MISSING_MS = 60 * SECOND;

interface MatrixExporter extends ExporterWithFaults {
  readonly truth: TruthChecker;
  /** The world stands still. */
  readonly expected: ReadonlyMap<string, number>;
}

/** Replaces the exporter after a failure. */
export class MatrixSite {
  readonly #size: Parameters<typeof startMatrix>[0];
  #subject: MatrixExporter | undefined;

  constructor(size: Parameters<typeof startMatrix>[0]) {
    this.#size = size;
  }

  async exporter(): Promise<MatrixExporter> {
    this.#subject ??= await startMatrix(this.#size);
    return this.#subject;
  }

  async disturb(disturbances: Iterable<Disturbance>): Promise<void> {
    const subject = await this.exporter();
    try {
      for (const disturbance of disturbances) await disturb(subject, disturbance);
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.#subject?.close();
    this.#subject = undefined;
  }
}

async function startMatrix(size: Parameters<typeof startExporterWithFaults>[0]["size"]): Promise<MatrixExporter> {
  const subject = await startExporterWithFaults({ size });
  const at = subject.clock.now();
  subject.simulator.freezeAt(at);
  await subject.clock.pass(MAX_INTERVAL_S * SECOND);
  const expected = expectedSeries(subject.world, SERVER, at);
  const page = await subject.page();
  expect(isRecovered(page, SERVER, COLLECTORS)).toBe(true);
  expect(differences(page, expected)).toEqual([]);
  return { ...subject, truth: new TruthChecker(SERVER), expected };
}

/** Endpoints where a fault can show, shuffled. */
function placesOf(kind: FaultKind, random: Random): readonly FaultyEndpoint[] {
  return random.shuffle(ENDPOINTS.filter(({ isList }) => isList || kind.listsOnly !== true));
}

/** Where it can show and `fits`. */
export function everywhere(kind: FaultKind, random: Random, fits = (_glob: string) => true): readonly Disturbance[] {
  return placesOf(kind, random)
    .filter(({ glob }) => fits(glob))
    .map((place) => disturbance(kind, place));
}

function disturbance(kind: FaultKind, at: FaultyEndpoint): Disturbance {
  return {
    kinds: [`${kind.name} at ${at.glob}`],
    faults: faultTexts(kind, at),
    endsSessions: at.glob === "/session",
    losesRecords: losesRecords(kind),
    missesEndpoints: kind.text.startsWith("missing"),
  };
}

/** Checks the page during and after. */
async function disturb(subject: MatrixExporter, { kinds, faults, ...effects }: Disturbance): Promise<void> {
  const { clock, simulator, world } = subject;
  const what = kinds.join(" + ");
  simulator.faults.set(faults);
  if (effects.endsSessions) simulator.dropSessions();
  for (const format of ["text", "openmetrics"] as const) {
    await clock.pass(DISTURBED_MS / 2);
    const page = await subject.page(format);
    expect(subject.truth.complaints(page, clock.now(), subject.answers()), what).toEqual([]);
    if (!effects.losesRecords) {
      const shown = page.labelsOf("prtg_sensor_status_code", "sensor_id");
      expect(
        world.list("sensor").filter(({ id }) => !shown.has(id)),
        `sensors that live, during ${what}`,
      ).toEqual([]);
    }
  }
  simulator.faults.clear();
  await recover(subject, what, faults, effects.missesEndpoints);
}

async function recover(
  subject: MatrixExporter,
  what: string,
  faults: readonly string[],
  missing: boolean,
): Promise<void> {
  const { clock } = subject;
  const ended = clock.monotonic();
  const refused = faults.some((fault) => /^error=40[013]/.test(fault) && /@(\/session|\*)(#|$)/.test(fault));
  const limit = RECOVERY_MS + (refused ? REFUSED_MS : 0) + (missing ? MISSING_MS : 0);
  while (!(await subject.isWell()) && clock.monotonic() - ended <= limit) await clock.pass(5 * SECOND);
  const seconds = (clock.monotonic() - ended) / SECOND;
  const left = unrecovered(await subject.page(), SERVER, COLLECTORS);
  expect(
    { left, last: subject.answers().slice(left.length === 0 ? Infinity : -20) },
    `${seconds} s after ${what}`,
  ).toEqual({ left: [], last: [] });
  // A good run may be older. One more interval shows the current state.
  let page = await subject.page();
  const isSettled = () => inFlight(page) === 0 && differences(page, subject.expected).length === 0;
  for (let waited = 0; !isSettled() && waited <= RECOVERY_MS; waited += 15 * SECOND) {
    await clock.pass(15 * SECOND);
    page = await subject.page("openmetrics");
  }
  expect(differences(page, subject.expected), `the world after ${what}`).toEqual([]);
  expect(subject.truth.complaints(page, clock.now(), subject.answers()), what).toEqual([]);
  expect(inFlight(page), `requests under way after ${what}`).toBe(0);
}

function inFlight(page: PageView): number {
  return page.value("prtg_exporter_api_requests_in_flight", { server: SERVER }) ?? Number.NaN;
}

const FAMILIES = ["prtg_sensor_status", "prtg_sensor_status_code", "prtg_channel_value", "prtg_channel_state"];

function differences(page: PageView, expected: ReadonlyMap<string, number>): string[] {
  const found = new Map(
    FAMILIES.flatMap((family) =>
      page
        .samples(family)
        .map(({ name, labels, value }) => [seriesKey(name, Object.fromEntries(labels)), value] as const),
    ),
  );
  const missing = [...expected.keys()].filter((key) => !found.has(key)).map((key) => `missing: ${key}`);
  const wrong = [...found].filter(([key, value]) => expected.get(key) !== value);
  return [...missing, ...wrong.map(([key, value]) => `${key} is ${value}, not ${expected.get(key)}`)].slice(0, 10);
}
