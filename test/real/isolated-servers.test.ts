import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { ExporterUnderTest, SOUND } from "../../soak/exporter-under-test.ts";
import { Random } from "../../soak/random.ts";
import { Scraper } from "../../soak/scraper.ts";
import { SimulatedSite } from "../../soak/simulated-site.ts";
import { largest, median } from "../../soak/statistics.ts";

const SIZE = { sensors: 150, channels: 600, groups: 20, seed: 1 };
const SCHEDULES = { health: 1, status: 1, channels: 1, tree: 2, limits: 5, timeseries: 5 };
const ROUNDS = 2;
/** More rounds take chance out of the medians, and what a server really does to another one stays in them. */
const MAX_ROUNDS = 7;
const LIMIT_MS = 600_000;
const PHASE_MS = 6_000;
const BEGINNING_MS = 1_000;
/** What one phase leaves behind is not counted for the next: requests that hang, and their timeouts. */
const SETTLING_MS = 3_500;
/** Phases take turns, so that whatever else the machine does hits all of them alike; what is left is chance. */
const MAX_TIMES = 3;
/** What the machine may excuse at most: on one core that many wanted, scrapes took 3.06 times as long during a flood. */
const MAX_SLOWER = 2;
/** Medians of fewer tell nothing. */
const FEWEST_POLLS = 5;

/** A flood at the speed of a network: what the flooding process itself takes of this machine is not the question. */
const DISTURBANCES = { undisturbed: undefined, hanging: "hang", flooding: "endless=20MB", down: "cut=start" } as const;
type Phase = keyof typeof DISTURBANCES;

interface Measured {
  readonly pollsMs: number[];
  readonly scrapesMs: number[];
  /**
   * What any other process of the machine takes for an answer meanwhile, the sound server's own: the flood is made on the
   * same cores, which on a busy machine slows everybody down.
   */
  readonly othersMs: number[];
}

const TITLE = "a server that hangs, floods or is down leaves another one's polls and the scrapes as they are";

test(TITLE, { timeout: LIMIT_MS }, async () => {
  const [shaken, sound] = await Promise.all([SimulatedSite.start(SIZE), SimulatedSite.start(SIZE)]);
  onTestFinished(async () => void (await Promise.all([shaken.program.stop(), sound.program.stop()])));
  const exporter = await ExporterUnderTest.start(shaken, sound, { schedules: SCHEDULES });
  onTestFinished(async () => void (await exporter.stop()));
  const scraper = new Scraper(exporter.metricsUrl, new Random(1));
  const measured: Record<Phase, Measured> = {
    undisturbed: { pollsMs: [], scrapesMs: [], othersMs: [] },
    hanging: { pollsMs: [], scrapesMs: [], othersMs: [] },
    flooding: { pollsMs: [], scrapesMs: [], othersMs: [] },
    down: { pollsMs: [], scrapesMs: [], othersMs: [] },
  };
  for (let round = 0; round < ROUNDS || (round < MAX_ROUNDS && findings(measured).length > 0); round++) {
    for (const [phase, fault] of Object.entries(DISTURBANCES) as [Phase, string | undefined][]) {
      if (fault !== undefined) await shaken.addFault(fault);
      await sleep(BEGINNING_MS);
      await measure(scraper, sound, measured[phase]);
      await shaken.clearFaults();
      await sleep(SETTLING_MS);
    }
  }
  const table = Object.entries(measured).map(([phase, { pollsMs, scrapesMs, othersMs }]) => ({
    phase,
    polls: `${pollsMs.length}: ${spread(pollsMs)}`,
    scrapes: `${scrapesMs.length}: ${spread(scrapesMs)}`,
    others: `${othersMs.length}: ${spread(othersMs)}`,
  }));
  // The figures of docs/decisions.md: least, quarter, median, three quarters, most.
  console.table(table);
  expect(findings(measured)).toEqual([]);
});

/** What one server did to the other, or what cannot be told yet, in words. */
function findings(measured: Readonly<Record<Phase, Measured>>): string[] {
  const calm = measured.undisturbed;
  return Object.entries(measured).flatMap(([phase, { pollsMs, scrapesMs, othersMs }]) => {
    if (pollsMs.length <= FEWEST_POLLS) return [`only ${pollsMs.length} polls while ${phase}`];
    const slower = Math.min(MAX_SLOWER, Math.max(1, median(othersMs) / median(calm.othersMs)));
    return (
      [
        ["polls", pollsMs, calm.pollsMs],
        ["scrapes", scrapesMs, calm.scrapesMs],
      ] as const
    ).flatMap(([what, disturbed, undisturbed]) => {
      const own = median(disturbed) / slower;
      const isBeyond = own >= largest(undisturbed);
      const times = own / median(undisturbed);
      return [
        ...(isBeyond ? [`median of ${what} while ${phase} beyond the spread: ${own.toFixed(1)} ms`] : []),
        ...(times < MAX_TIMES ? [] : [`${what} while ${phase}: ${times.toFixed(1)} times as long`]),
      ];
    });
  });
}

/** Scrapes for the length of a phase; the sound server's runs are those that the pages tell of. */
async function measure(
  scraper: Scraper,
  sound: SimulatedSite,
  { pollsMs, scrapesMs, othersMs }: Measured,
): Promise<void> {
  const end = performance.now() + PHASE_MS;
  let last: number | undefined;
  while (performance.now() < end) {
    const { page, durationMs } = await scraper.scrape();
    scrapesMs.push(durationMs);
    const asked = performance.now();
    await sound.control("GET", "/time");
    othersMs.push(performance.now() - asked);
    const wanted = { server: SOUND, collector: "channels" };
    const at = page.value("prtg_exporter_collector_last_success_timestamp_seconds", wanted);
    const seconds = page.value("prtg_exporter_collector_duration_seconds", wanted);
    // The first one may be of before.
    if (last !== undefined && at !== last && seconds !== undefined) pollsMs.push(seconds * 1_000);
    last = at;
    expect(page.value("prtg_up", { server: SOUND })).toBe(1);
    await sleep(150);
  }
}

function spread(values: readonly number[]): string {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number) => (sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN).toFixed(1);
  return `${at(0)} / ${at(0.25)} / ${at(0.5)} / ${at(0.75)} / ${at(1)} ms`;
}
