import { setTimeout as sleep } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { ExporterUnderTest, SOUND } from "../../soak/exporter-under-test.ts";
import { Random } from "../../soak/random.ts";
import { Scraper } from "../../soak/scraper.ts";
import { SimulatedSite } from "../../soak/simulated-site.ts";
import { largest, median } from "../../soak/statistics.ts";

const SIZE = { sensors: 150, channels: 600, groups: 20, seed: 1 };
const SCHEDULES = { health: 1, status: 1, channels: 1, tree: 2, limits: 5, timeseries: 5 };
const ROUNDS = 3;
const PHASE_MS = 6_000;
const BEGINNING_MS = 1_000;
/** What one phase leaves behind is not counted for the next: requests that hang, and their timeouts. */
const SETTLING_MS = 3_500;
/** Phases take turns, so that whatever else the machine does hits all of them alike; what is left is chance. */
const MOST_TIMES = 3;

/** A flood at the speed of a network: what the flooding process itself takes of this machine is not the question. */
const DISTURBANCES = { undisturbed: undefined, hanging: "hang", flooding: "endless=20MB", down: "cut=start" } as const;
type Phase = keyof typeof DISTURBANCES;

interface Measured {
  readonly pollsMs: number[];
  readonly scrapesMs: number[];
}

it("a server that hangs, floods or is down leaves another one's polls and the scrapes as they are", async () => {
  const [shaken, sound] = await Promise.all([SimulatedSite.start(SIZE), SimulatedSite.start(SIZE)]);
  onTestFinished(async () => void (await Promise.all([shaken.program.stop(), sound.program.stop()])));
  const exporter = await ExporterUnderTest.start(shaken, sound, SCHEDULES);
  onTestFinished(async () => void (await exporter.stop()));
  const scraper = new Scraper(exporter.metricsUrl, new Random(1));
  const measured: Record<Phase, Measured> = {
    undisturbed: { pollsMs: [], scrapesMs: [] },
    hanging: { pollsMs: [], scrapesMs: [] },
    flooding: { pollsMs: [], scrapesMs: [] },
    down: { pollsMs: [], scrapesMs: [] },
  };
  for (let round = 0; round < ROUNDS; round++) {
    for (const [phase, fault] of Object.entries(DISTURBANCES) as [Phase, string | undefined][]) {
      if (fault !== undefined) await shaken.addFault(fault);
      await sleep(BEGINNING_MS);
      await measure(scraper, measured[phase]);
      await shaken.clearFaults();
      await sleep(SETTLING_MS);
    }
  }
  const calm = measured.undisturbed;
  const table = Object.entries(measured).map(([phase, { pollsMs, scrapesMs }]) => ({
    phase,
    polls: `${pollsMs.length}: ${spread(pollsMs)}`,
    scrapes: `${scrapesMs.length}: ${spread(scrapesMs)}`,
  }));
  // The figures of docs/decisions.md: least, quarter, median, three quarters, most.
  console.table(table);
  for (const [phase, { pollsMs, scrapesMs }] of Object.entries(measured)) {
    expect(pollsMs.length, `polls while ${phase}`).toBeGreaterThan(5);
    for (const [what, disturbed, undisturbed] of [
      ["polls", pollsMs, calm.pollsMs],
      ["scrapes", scrapesMs, calm.scrapesMs],
    ] as const) {
      expect(median(disturbed), `median of ${what} while ${phase}, within the spread`).toBeLessThan(
        largest(undisturbed),
      );
      expect(median(disturbed) / median(undisturbed), `${what} while ${phase}`).toBeLessThan(MOST_TIMES);
    }
  }
});

/** Scrapes for the length of a phase; the sound server's runs are those that the pages tell of. */
async function measure(scraper: Scraper, { pollsMs, scrapesMs }: Measured): Promise<void> {
  const end = performance.now() + PHASE_MS;
  let last: number | undefined;
  while (performance.now() < end) {
    const { page, durationMs } = await scraper.scrape();
    scrapesMs.push(durationMs);
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
