import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { TREE_FAMILIES } from "../../src/mapping/metric-table.ts";
import { unitInName } from "../../src/mapping/rules/names.ts";
import {
  CHANNEL_QUERIES,
  type ChannelQuery,
  JOBS,
  SERVED,
  type ServedJob,
  samplesOf,
  shown,
  shownAs,
  stillWorld,
  subjects,
  WORLD_TIME,
} from "../support/channel-panels.ts";
import { promqlAnswer, type Sample } from "../support/promql-answer.ts";
import { startSimulatedExporter } from "../support/simulated-exporter.ts";

const CHANNEL_FAMILIES = Object.values(TREE_FAMILIES).flatMap(({ name, labels }) =>
  new Set<string>(labels).has("channel_id") ? name : [],
);

/** The same world, scraped each way. */
let samples: Sample[];
let devices: string[];

beforeAll(async () => {
  samples = (await Promise.all(JOBS.map(scraped))).flat();
  devices = [...new Set(samples.map(({ labels }) => labels.device ?? ""))];
});

afterAll(() => {
  samples = [];
  answers.clear();
});

async function scraped(job: ServedJob): Promise<Sample[]> {
  const running = await startSimulatedExporter({ settings: SERVED[job], simulator: { world: stillWorld() } });
  try {
    running.simulator.freezeAt(WORLD_TIME);
    expect(await running.poll()).toBe(true);
    return samplesOf(await running.page(), job);
  } finally {
    await running.close();
  }
}

/** Answers that several tests compare. */
const answers = new Map<string, readonly Sample[]>();

function ask(query: ChannelQuery, job: ServedJob): readonly Sample[] {
  const expr = query.exprFor(job, devices);
  const answer = answers.get(expr) ?? promqlAnswer(expr, samples);
  answers.set(expr, answer);
  return answer;
}

function namesServed(job: ServedJob): string[] {
  return samples.filter(({ labels }) => labels.job === job).map(({ labels: { __name__ = "" } }) => __name__);
}

test("rules map most channels, one with an unusual name and label", () => {
  const [plain, both, mapped] = JOBS.map(
    (job) => namesServed(job).filter((name) => name === "prtg_channel_value").length,
  );
  expect(both).toBe(plain);
  expect(mapped).toBeGreaterThan(0);
  expect(mapped).toBeLessThan((plain ?? 0) / 2);
  expect(namesServed("plain")).not.toContain("acme_idle_ratio");
  expect(namesServed("both")).toContain("acme_idle_ratio");
  const others = CHANNEL_FAMILIES.filter((name) => !/_(value|limit)$/.test(name));
  expect(namesServed("mapped")).toEqual(expect.arrayContaining(["acme_idle_ratio", "acme_code", ...others]));
});

describe.each(CHANNEL_QUERIES.map((query) => [query.name, query] as const))("%s", (_name, query) => {
  test("shows displayed values if rules keep them", () => {
    const displayed = shown(ask(query, "plain"));
    expect(displayed.length).toBeGreaterThan(0);
    expect(shown(ask(query, "both"))).toEqual(displayed);
  });

  test("shows the same channels once if rules replace them", () => {
    expect(subjects(ask(query, "mapped"))).toEqual(subjects(ask(query, "plain")));
  });

  test("ignores alerts and recorded series", () => {
    const [first] = samples.filter(({ labels }) => labels.job === "mapped" && labels.__name__ === "acme_idle_ratio");
    const others = ["ALERTS", "ALERTS_FOR_STATE", "sensor:acme_idle:max"].flatMap((__name__) =>
      [{}, { limit: "max_error" }].map((more) => ({
        labels: { ...first?.labels, ...more, __name__, channel_id: "999" },
        value: 1,
      })),
    );
    const answer = promqlAnswer(query.exprFor("mapped", devices), [...samples, ...others]);
    expect(shown(answer)).toEqual(shown(ask(query, "mapped")));
  });
});

test.each(CHANNEL_QUERIES.filter(({ name }) => / (Channels|Values and limits) A$/.test(name)))(
  "$name shows the value in the base unit of the metric",
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
