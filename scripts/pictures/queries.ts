import { z } from "zod";
import type { Picture, Series } from "../../dashboards/pictures/src/picture.ts";

/** About as many points as the chart can show. */
const MAX_POINTS = 240;
const MIN_STEP_SECONDS = 15;

const sample = z.tuple([z.number(), z.string()]);
const answer = z.object({
  data: z.object({
    result: z.array(
      z.object({
        metric: z.record(z.string(), z.string()),
        value: sample.optional(),
        values: z.array(sample).default([]),
      }),
    ),
  }),
});

export class PrometheusQueries {
  readonly range: Picture["range"];
  readonly stepSeconds: number;
  readonly #url: string;

  constructor(url: string, range: Picture["range"]) {
    this.#url = url;
    this.range = range;
    this.stepSeconds = Math.max(Math.ceil((range.to - range.from) / 1000 / MAX_POINTS), MIN_STEP_SECONDS);
  }

  instant(query: string): Promise<Series[]> {
    return this.#ask("query", { query, time: String(this.range.to / 1000) });
  }

  over(query: string): Promise<Series[]> {
    const { from, to } = this.range;
    return this.#ask("query_range", {
      ...{ query, start: String(from / 1000), end: String(to / 1000), step: String(this.stepSeconds) },
    });
  }

  async #ask(endpoint: string, parameters: Record<string, string>): Promise<Series[]> {
    const body = new URLSearchParams(parameters);
    const response = await fetch(new URL(`/api/v1/${endpoint}`, this.#url), { method: "POST", body });
    if (!response.ok) throw new Error(`${parameters.query}: ${response.status} ${await response.text()}`);
    const { data } = answer.parse(await response.json());
    return data.result.map(({ metric, value, values }) => ({
      labels: metric,
      points: (value === undefined ? values : [value]).map(([time, text]) => ({ time, value: Number(text) })),
    }));
  }
}
