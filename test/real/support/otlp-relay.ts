import { decodeReceived, type ReceivedPoint } from "../../otlp/support/decode-metrics.ts";
import { startAnsweringServer } from "./answering-server.ts";

/** A forwarded request and the receiver's answer. */
interface RelayedRequest {
  readonly contentType: string;
  readonly status: number;
  /** Empty, or an OTLP answer with rejections. */
  readonly answer: string;
}

/** Records traffic: a receiver that stores a point once cannot show repeats. */
export interface OtlpRelay {
  readonly url: string;
  readonly requests: readonly RelayedRequest[];
  /** Accepted points in order, by OTLP metric name. */
  readonly points: ReadonlyMap<string, readonly ReceivedPoint[]>;
  /** Points that end a series, likewise. */
  readonly ends: ReadonlyMap<string, readonly ReceivedPoint[]>;
  /** Forwarding target. Earlier requests wait for it. */
  forwardTo(url: string): void;
  close(): Promise<void>;
}

export async function startOtlpRelay(): Promise<OtlpRelay> {
  const requests: RelayedRequest[] = [];
  const points = new Map<string, ReceivedPoint[]>();
  const ends = new Map<string, ReceivedPoint[]>();
  const receiver = Promise.withResolvers<string>();
  const relay = await startAnsweringServer(async ({ url, headers, body, isGone }) => {
    const { "content-type": contentType = "", "content-encoding": encoding = "identity" } = headers;
    const batches = decodeReceived(headers, body);
    const forwardedTo = await receiver.promise;
    if (isGone()) throw new Error("the sender gave up");
    const answer = await fetch(`${forwardedTo}${url}`, {
      method: "POST",
      headers: { "content-type": contentType, "content-encoding": encoding },
      body,
    });
    if (answer.ok) {
      for (const metric of batches.flatMap(({ metrics }) => metrics)) {
        for (const point of metric.points) {
          const kept = point.ended ? ends : points;
          const known = kept.get(metric.name);
          if (known === undefined) kept.set(metric.name, [point]);
          else known.push(point);
        }
      }
    }
    const text = await answer.text();
    requests.push({ contentType, status: answer.status, answer: text });
    return { status: answer.status, headers: { "content-type": contentType }, body: text };
  });
  return { ...relay, requests, points, ends, forwardTo: receiver.resolve };
}
