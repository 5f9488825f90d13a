import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { decodeReceived, type ReceivedPoint } from "../../otlp/support/decode-metrics.ts";

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
  const pass = async (incoming: IncomingMessage): Promise<RelayedRequest> => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    const { "content-type": contentType = "", "content-encoding": encoding = "identity" } = incoming.headers;
    const batches = decodeReceived(incoming.headers, body);
    const forwardedTo = await receiver.promise;
    // After a timeout, the sender repeats the request.
    if (incoming.socket.destroyed) throw new Error("the sender gave up");
    const answer = await fetch(`${forwardedTo}${incoming.url}`, {
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
    return { contentType, status: answer.status, answer: await answer.text() };
  };
  // Longer than the exporter's keep-alive, which could otherwise use a closing connection.
  const server = createServer({ keepAliveTimeout: 65_000 }, (incoming, response) => {
    pass(incoming).then(
      (passed) => {
        requests.push(passed);
        response.writeHead(passed.status, { "content-type": passed.contentType }).end(passed.answer);
      },
      (error: unknown) => response.writeHead(502).end(String(error)),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    points,
    ends,
    forwardTo: receiver.resolve,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
