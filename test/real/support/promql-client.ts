export interface Series {
  labels: Record<string, string>;
  /** Seconds and value. Instant queries have one point. */
  points: { time: number; value: number }[];
}

export interface Target {
  scrapeUrl: string;
  health: "up" | "down" | "unknown";
  lastError: string;
  labels: Record<string, string>;
}

/** For databases with Prometheus' query API. */
export class PromqlClient {
  readonly url: string;

  constructor(url: string) {
    this.url = url;
  }

  /** Instant query, now or at `time` (Unix seconds). */
  async query(promql: string, time?: number): Promise<Series[]> {
    return this.#readSeries("query", { query: promql, ...(time === undefined ? {} : { time: String(time) }) });
  }

  /** `start` and `end` in Unix seconds, `step` in seconds. */
  async queryRange(promql: string, range: { start: number; end: number; step: number }): Promise<Series[]> {
    return this.#readSeries("query_range", {
      query: promql,
      start: String(range.start),
      end: String(range.end),
      step: String(range.step),
    });
  }

  /** Number of series, now or at `time` (Unix seconds). */
  async seriesCount(selector: string, time?: number): Promise<number> {
    const [counted] = await this.query(`count(${selector})`, time);
    return counted?.points[0]?.value ?? 0;
  }

  async labelValues(name: string): Promise<string[]> {
    return this.get<string[]>(`label/${name}/values`, {});
  }

  async targets(): Promise<Target[]> {
    const { activeTargets } = await this.get<{ activeTargets: Target[] }>("targets", { state: "active" });
    return activeTargets;
  }

  protected async get<Data>(endpoint: string, parameters: Record<string, string>): Promise<Data> {
    const answer = await fetch(`${this.url}/api/v1/${endpoint}?${new URLSearchParams(parameters)}`);
    const body = (await answer.json()) as { status: string; error?: string; data: Data };
    if (body.status !== "success") throw new Error(`${endpoint} ${JSON.stringify(parameters)}: ${body.error}`);
    return body.data;
  }

  async #readSeries(endpoint: string, parameters: Record<string, string>): Promise<Series[]> {
    const data = await this.get<QueryData>(endpoint, parameters);
    if (isSingle(data)) return [{ labels: {}, points: [readPoint(data.result)] }];
    return data.result.map(({ metric, value, values = value ? [value] : [] }) => ({
      labels: metric,
      points: values.map(readPoint),
    }));
  }
}

type WirePoint = [time: number, value: string];

interface SingleData {
  resultType: "scalar" | "string";
  result: WirePoint;
}

interface SeriesData {
  resultType: "vector" | "matrix";
  result: { metric: Record<string, string>; value?: WirePoint; values?: WirePoint[] }[];
}

type QueryData = SingleData | SeriesData;

function isSingle(data: QueryData): data is SingleData {
  return data.resultType === "scalar" || data.resultType === "string";
}

function readPoint([time, text]: WirePoint): { time: number; value: number } {
  const value = text.endsWith("Inf") ? (text.startsWith("-") ? -Infinity : Infinity) : Number(text);
  return { time, value };
}
