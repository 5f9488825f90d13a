import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { decodeReceived, type ReceivedPoint } from "../../otlp/support/decode.ts";

/** A request as it was passed on, and what the receiver said to it. */
export interface RelayedRequest {
  readonly contentType: string;
  readonly status: number;
  /** Empty, or an OTLP answer that may tell what was refused. */
  readonly answer: string;
}

/**
 * Stands between an OTLP exporter and its receiver, changes nothing and keeps a record: a receiver that stores a point
 * once does not tell whether it came twice.
 */
export interface OtlpRelay {
  /** `http://127.0.0.1:1234` */
  readonly url: string;
  readonly requests: readonly RelayedRequest[];
  /** Points that the receiver has taken, in the order in which they came, by the metric's name in OTLP. */
  readonly points: ReadonlyMap<string, readonly ReceivedPoint[]>;
  /** The same of points that say that a series has ended. */
  readonly ends: ReadonlyMap<string, readonly ReceivedPoint[]>;
  /** Where to pass requests on; those that came before wait for it. */
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
    // Who has waited too long for the receiver sends the same again.
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
  // Longer than the exporter keeps a connection, which else may send on one that is being closed.
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
