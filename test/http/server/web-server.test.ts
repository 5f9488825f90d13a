import { request as httpRequest } from "node:http";
import { gunzipSync } from "node:zlib";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startWebServer, type WebServer } from "../../../src/http/server/connection-handler.ts";
import { startPageServer } from "../support/page-server.ts";

let ready = false;
let broken = false;
let brokenEnd = false;
const served: string[] = [];
let server: WebServer;
let url: string;

beforeAll(async () => {
  ({ web: server, url } = await startPageServer({
    isReady: () => ready,
    served: (mediaType) => void served.push(mediaType),
    exposition: {
      streamedPage: async (_format, encoding) => {
        if (broken) throw new Error("broken");
        const { gzipSync } = await import("node:zlib");
        const page = Buffer.from("prtg_up 1\n");
        const body = encoding === "gzip" ? gzipSync(page) : page;
        return {
          beginning: [body.subarray(0, 5)],
          end: async () => {
            if (brokenEnd) throw new Error("broken");
            return [body.subarray(5)];
          },
        };
      },
    },
  }));
});

afterAll(() => server.close(0));

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

/** Unlike fetch: no added headers, no decompression. */
function ask(path: string, headers: Record<string, string> = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest(`${url}${path}`, { headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }),
      );
    });
    outgoing.on("error", reject);
    outgoing.end();
  });
}

describe("web server", () => {
  test("serves metrics with type, length and Vary", async () => {
    const { status, headers, body } = await ask("/metrics");
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      "content-type": "text/plain; version=0.0.4; charset=utf-8",
      "transfer-encoding": "chunked",
      vary: "Accept, Accept-Encoding",
    });
    expect(headers["content-encoding"]).toBeUndefined();
    expect(body.toString()).toBe("prtg_up 1\n");
    expect(served.at(-1)).toBe("text/plain");
  });

  test("compresses metrics on request", async () => {
    const { headers, body } = await ask("/metrics?x=1", { "accept-encoding": "gzip" });
    expect(headers["content-encoding"]).toBe("gzip");
    expect(gunzipSync(body).toString()).toBe("prtg_up 1\n");
  });

  test("answers 404 for other paths", async () => {
    expect((await ask("/nothing")).status).toBe(404);
    expect((await ask("/metrics/")).status).toBe(404);
  });

  test("is healthy immediately and ready after the first poll", async () => {
    expect((await ask("/-/healthy")).status).toBe(200);
    expect((await ask("/-/ready")).status).toBe(503);
    ready = true;
    expect((await ask("/-/ready")).status).toBe(200);
  });

  test("shows the path of metrics without a status page", async () => {
    const { status, body } = await ask("/");
    expect([status, body.toString()]).toEqual([200, "Metrics are at /metrics\n"]);
  });

  test("answers 500 if the page fails, and continues", async () => {
    broken = true;
    expect((await ask("/metrics")).status).toBe(500);
    broken = false;
    expect((await ask("/metrics")).status).toBe(200);
  });

  test("cuts the connection if the end of a page fails, which marks it as incomplete", async () => {
    brokenEnd = true;
    await expect(ask("/metrics")).rejects.toThrow();
    brokenEnd = false;
    expect((await ask("/metrics")).body.toString()).toBe("prtg_up 1\n");
  });

  test("names the address that it cannot listen on", async () => {
    const port = Number(new URL(url).port);
    const second = startWebServer({
      addresses: [
        { host: "127.0.0.1", port: 0 },
        { host: "127.0.0.1", port },
      ],
      routes: new Map(),
      log: pino({ level: "silent" }),
    });
    await expect(second).rejects.toMatchObject({
      code: "LISTEN_FAILED",
      message: `cannot listen on 127.0.0.1:${port}`,
    });
  });
});
