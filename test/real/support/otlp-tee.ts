import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

/** Forwards OTLP requests unchanged to several receivers. */
export interface OtlpTee {
  readonly url: string;
  /** Status and body of answers other than plain success. */
  readonly complaints: readonly string[];
  close(): Promise<void>;
}

/** @param endpoints base URLs, extended by the request's path. */
export async function startOtlpTee(endpoints: readonly string[]): Promise<OtlpTee> {
  const complaints: string[] = [];
  const pass = async (incoming: IncomingMessage): Promise<number> => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const headers = new Headers();
    for (const name of ["content-type", "content-encoding"]) {
      const value = incoming.headers[name];
      if (typeof value === "string") headers.set(name, value);
    }
    const body = Buffer.concat(chunks);
    const answers = await Promise.all(
      endpoints.map((endpoint) => fetch(`${endpoint}${incoming.url}`, { method: "POST", headers, body })),
    );
    for (const answer of answers) {
      const text = await answer.text();
      if (answer.status !== 200 || text !== "") complaints.push(`${answer.url}: ${answer.status} ${text}`);
    }
    return Math.max(...answers.map(({ status }) => status));
  };
  // Longer than the exporter's keep-alive, which could otherwise use a closing connection.
  const server = createServer({ keepAliveTimeout: 65_000 }, (incoming, response) => {
    pass(incoming).then(
      (status) => response.writeHead(status).end(),
      (error: unknown) => response.writeHead(502).end(String(error)),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    complaints,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
