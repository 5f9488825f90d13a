import { startAnsweringServer } from "./answering-server.ts";

/** For the next larger request: 400 once, or this many measurements for good. */
type Refusal = "all" | number;

/** Rejects data on request, between a JSON exporter and its collector. */
interface RefusingRelay {
  readonly url: string;
  /** Rejected points as `2490.1@1700000000000`. */
  readonly refused: ReadonlySet<string>;
  /** Pending rejections. */
  readonly ahead: readonly Refusal[];
  refuseNext(refusal: Refusal): void;
  close(): Promise<void>;
}

interface Point {
  readonly timeUnixNano: string;
  readonly attributes: readonly { readonly key: string; readonly value: { readonly stringValue: string } }[];
}

/** The needed part of opentelemetry/proto/collector/metrics/v1 in JSON. */
interface Push {
  readonly resourceMetrics: readonly {
    readonly scopeMetrics: readonly {
      readonly metrics: readonly { readonly name: string; readonly gauge?: { readonly dataPoints: Point[] } }[];
    }[];
  }[];
}

interface Answer {
  readonly status: number;
  readonly body: string;
}

const METRIC = "prtg.channel_value";

export async function startRefusingRelay(collector: string): Promise<RefusingRelay> {
  const refused = new Set<string>();
  const ahead: Refusal[] = [];

  const forward = async (path: string, push: Push): Promise<Answer> => {
    const headers = { "content-type": "application/json" };
    const answer = await fetch(`${collector}${path}`, { method: "POST", headers, body: JSON.stringify(push) });
    return { status: answer.status, body: await answer.text() };
  };
  const pass = async (url: string, push: Push): Promise<Answer> => {
    const measured = pointsOf(push);
    const count = measured.reduce((sum, points) => sum + points.length, 0);
    const next = ahead[0];
    const refusal = next !== undefined && count > (next === "all" ? 0 : next) ? ahead.shift() : undefined;
    if (refusal === undefined) return forward(url, push);
    if (refusal === "all") return { status: 400, body: JSON.stringify({ code: 3, message: "no such points here" }) };
    for (const points of measured) for (const point of points.splice(0, refusal)) refused.add(keyOf(point));
    const { status } = await forward(url, push);
    // JSON encodes 64-bit numbers as strings.
    const partialSuccess = { rejectedDataPoints: String(refusal), errorMessage: "not these points" };
    return { status, body: JSON.stringify({ partialSuccess }) };
  };

  const relay = await startAnsweringServer(async ({ url, body }) => ({
    ...(await pass(url, JSON.parse(body.toString()))),
    headers: { "content-type": "application/json" },
  }));
  return { ...relay, refused, ahead, refuseNext: (refusal) => void ahead.push(refusal) };
}

/** Lists of measurements. There is one metric, so at most one list. */
function pointsOf({ resourceMetrics }: Push): Point[][] {
  const metrics = resourceMetrics.flatMap(({ scopeMetrics }) => scopeMetrics.flatMap(({ metrics }) => metrics));
  return metrics.flatMap(({ name, gauge }) => (name === METRIC && gauge !== undefined ? [gauge.dataPoints] : []));
}

function keyOf({ timeUnixNano, attributes }: Point): string {
  const of = (name: string) => attributes.find(({ key }) => key === name)?.value.stringValue;
  return `${of("sensor_id")}.${of("channel_id")}@${BigInt(timeUnixNano) / 1_000_000n}`;
}
