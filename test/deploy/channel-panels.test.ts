import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { systemClock } from "../../src/lib/clock.ts";
import { unitInName } from "../../src/mapping/rules/names.ts";
import { createWorld } from "../../src/simulator/world/world.ts";
import { CHANNEL_QUERIES, type ChannelQuery, SERVED, type ServedJob, shownAs } from "../support/channel-panels.ts";
import { promqlAnswer, type Sample, type SeriesLabels } from "../support/promql-answer.ts";
import { startSimulatedExporter } from "../support/simulated-exporter.ts";

const SIZE = { probes: 2, devices: 20, sensors: 160, channels: 1_200 };
const JOBS = ["plain", "both", "mapped"] as const satisfies readonly ServedJob[];

/** What a Prometheus has that scraped the same world, served in each way. */
let samples: Sample[];
let devices: string[];

beforeAll(async () => {
  const startedAt = systemClock.now();
  samples = (await Promise.all(JOBS.map((job) => scraped(job, startedAt)))).flat();
  devices = [...new Set(samples.map(({ labels }) => labels.device ?? ""))];
});

afterAll(() => {
  samples = [];
});

async function scraped(job: ServedJob, startedAt: number): Promise<Sample[]> {
  const world = createWorld({ seed: 42, size: SIZE, startedAt });
  const running = await startSimulatedExporter({ settings: SERVED[job], simulator: { world } });
  try {
    running.simulator.freezeAt(startedAt);
    expect(await running.poll()).toBe(true);
    return [...(await running.samples()).values()].map(({ name, labels, value }) => {
      const all = Object.entries({ ...labels, __name__: name, job, instance: `${job}:9705` });
      return { labels: Object.fromEntries(all.filter(([, text]) => text !== "")), value: Number(value) };
    });
  } finally {
    await running.close();
  }
}

function ask(query: ChannelQuery, job: ServedJob, others: readonly Sample[] = []): readonly Sample[] {
  return promqlAnswer(query.exprFor(job, devices), [...samples, ...others]);
}

/** Without the job, in an order of their own. */
function shown(results: readonly Sample[]): string[] {
  return results.map(({ labels: { job: _job, ...labels }, value }) => JSON.stringify([sorted(labels), value])).sort();
}

function sorted(labels: SeriesLabels): [string, string][] {
  return Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1));
}

/** What results are about, each as often as it is there; how many channels were counted where they are about none. */
function subjects(results: readonly Sample[]): string[] | number {
  const found = results.map(({ labels }) => shownAs(labels)).sort();
  return found.every((text) => text === "") ? results.reduce((sum, { value }) => sum + value, 0) : found;
}

function namesServed(job: ServedJob): string[] {
  return samples.filter(({ labels }) => labels.job === job).map(({ labels: { __name__ = "" } }) => __name__);
}

test("most channels are in metrics of rules, one of which has a name and a label like no other", () => {
  const [plain, both, mapped] = JOBS.map(
    (job) => namesServed(job).filter((name) => name === "prtg_channel_value").length,
  );
  expect(both).toBe(plain);
  expect(mapped).toBeGreaterThan(0);
  expect(mapped).toBeLessThan((plain ?? 0) / 2);
  expect(namesServed("plain")).not.toContain("acme_idle_ratio");
  expect(namesServed("both")).toContain("acme_idle_ratio");
  expect(namesServed("mapped")).toContain("acme_idle_ratio");
});

describe.each(CHANNEL_QUERIES.map((query) => [query.name, query] as const))("%s", (_name, query) => {
  test("shows channels as displayed where rules leave that beside their metrics", () => {
    const displayed = shown(ask(query, "plain"));
    expect(displayed.length).toBeGreaterThan(0);
    expect(shown(ask(query, "both"))).toEqual(displayed);
  });

  test("shows the same channels, each once, where they are in metrics of rules alone", () => {
    expect(subjects(ask(query, "mapped"))).toEqual(subjects(ask(query, "plain")));
  });

  test("takes neither alerts nor recorded series for channels", () => {
    const [first] = samples.filter(({ labels }) => labels.job === "mapped" && labels.__name__ === "acme_idle_ratio");
    const others = ["ALERTS", "ALERTS_FOR_STATE", "sensor:acme_idle:max"].flatMap((__name__) =>
      [{}, { limit: "max_error" }].map((more) => ({
        labels: { ...first?.labels, ...more, __name__, channel_id: "999" },
        value: 1,
      })),
    );
    expect(shown(ask(query, "mapped", others))).toEqual(shown(ask(query, "mapped")));
  });
});

test.each(CHANNEL_QUERIES.filter(({ name }) => / (Channels|Values and limits) A$/.test(name)))(
  "$name says the base unit of a metric of a rule, and its value",
  (query) => {
    const results = new Map(ask(query, "mapped").map((result) => [shownAs(result.labels), result] as const));
    const units = new Set<string>();
    for (const { labels, value } of samples) {
      const { job, __name__: name = "", limit } = labels;
      const unit = unitInName(name);
      if (job !== "mapped" || labels.channel_id === undefined || limit !== undefined || unit === undefined) continue;
      units.add(unit);
      expect(results.get(shownAs({ ...labels, state: "" })), name).toMatchObject({ labels: { unit }, value });
    }
    expect(units.size).toBeGreaterThan(8);
  },
);
