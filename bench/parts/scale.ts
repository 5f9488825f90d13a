/** Source of the tables in docs/sizing.md. */
import { startExporter } from "../processes/exporter.ts";
import { ENCODINGS, readGzipped, scrape } from "../processes/scrape.ts";
import { sensorsOf, startSimulator } from "../processes/simulator.ts";
import { waitForPolls } from "../processes/wait-for-polls.ts";
import type { Budget, PartResult } from "../results/result.ts";
import { elapsed, measureInTurns } from "../statistics.ts";
import { countSamples } from "./page.ts";
import type { PartOptions } from "./part.ts";
import { rowOf } from "./rows.ts";

const MEGABYTE = 1e6;
const POLLS = 3;
/** MB by number of channels. 567,000 channels make a million series. */
const MAX_RESIDENT: Readonly<Record<number, number>> = { 10000: 160, 200000: 600, 567000: 2_000, 1000000: 2_000 };

export async function benchScale({ size, rounds, quick }: PartOptions): Promise<PartResult> {
  await using simulator = await startSimulator(size);
  const period = quick ? 2 : Math.max(2, Math.ceil(size / 20_000));
  const schedule = { schedule: `${period}s` };
  const settings = { collectors: { status: schedule, channels: schedule, timeseries: { enabled: false } } };
  await using exporter = await startExporter({ server: simulator.url, settings });
  await exporter.ready();
  const requests = (await simulator.control.requests(0)).counts;
  await waitForPolls(simulator.control, 1);
  const before = await exporter.processorTime();
  await waitForPolls(simulator.control, quick ? 1 : POLLS);
  const after = await exporter.processorTime();
  const { wire, text } = await readGzipped(exporter.url);
  // Before the uncompressed scrapes, which no Prometheus asks for: they leave garbage.
  const { residentBytes } = await exporter.memory();
  const url = `${exporter.url}/metrics`;
  const times = await measureInTurns(
    Object.fromEntries(ENCODINGS.map((encoding) => [encoding, () => elapsed(() => scrape(url, encoding))])),
    rounds,
  );
  const polls = quick ? 1 : POLLS;
  const mostResident = MAX_RESIDENT[size];
  return {
    part: "scale",
    size,
    title: "scale: what a server of this size needs",
    rows: [
      rowOf("sensors", "count", [sensorsOf(size)]),
      rowOf("series", "count", [countSamples(text)]),
      rowOf("resident memory", "MB", [residentBytes / MEGABYTE]),
      rowOf("processor time of a status and a channel poll", "s", [(after.cpuMs - before.cpuMs) / polls / 1_000]),
      rowOf("page", "MB", [text.length / MEGABYTE]),
      rowOf("page, gzip", "MB", [wire.length / MEGABYTE]),
      rowOf("scrape", "ms", times.identity ?? []),
      rowOf("scrape, gzip", "ms", times.gzip ?? []),
      rowOf("requests of a first cycle", "count", [requests.reduce((sum, { count }) => sum + count, 0)]),
    ],
    budgets: mostResident === undefined ? [] : [residentBudget(residentBytes / MEGABYTE, size, mostResident)],
    notes: [],
  };
}

function residentBudget(value: number, size: number, atMost: number): Budget {
  return {
    what: `Resident memory at ${size.toLocaleString("en-US")} channels, a few polls`,
    unit: "MB",
    value,
    atMost,
  };
}
