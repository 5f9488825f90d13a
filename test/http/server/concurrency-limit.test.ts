import { once } from "node:events";
import { type ClientRequest, createServer, get, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { serviceDiscoveryEndpoint } from "../../../src/http/pages/service-discovery-endpoint.ts";
import { ConcurrencyLimit } from "../../../src/http/server/concurrency-limit.ts";
import { startPageServer } from "../support/page-server.ts";

const PATIENCE = { timeout: 25_000, interval: 10 };

async function startServer() {
  const rejected: string[] = [];
  const begun: string[] = [];
  const goneReaders: string[] = [];
  const ends: (() => void)[] = [];
  const work = async (name: string, gone: AbortSignal | undefined) => {
    begun.push(name);
    await new Promise<void>((resolve, reject) => {
      ends.push(resolve);
      gone?.addEventListener("abort", () => {
        goneReaders.push(name);
        reject(gone.reason);
      });
    });
  };
  const report = async (name: string, gone: AbortSignal | undefined) => {
    await work(name, gone);
    return { status: 200 as const, sections: [{ title: name }], json: {} };
  };
  const { web, url, logged } = await startPageServer({
    rejected: (reason) => void rejected.push(reason),
    status: {
      status: (_question, gone) => work("status", gone).then(() => Promise.reject(new Error("not asked for here"))),
      node: (question, gone) => work(`node ${question.id}`, gone).then(() => undefined),
      search: (question, gone) =>
        work(`search ${question.text}`, gone).then(() => ({
          generated_at: "",
          total: 0,
          page: { number: 1, pages: 1, from: 0 },
          items: [],
          servers: [],
        })),
      changes: () => Promise.reject(new Error("not asked for here")),
      age: () => ({ as_of: null, age_seconds: null }),
      course: () => [],
      chart: async () => undefined,
    },
    debug: {
      explain: (query, gone) => report(`explain ${query.get("object")}`, gone),
      cardinality: (_query, gone) => report("cardinality", gone),
      runs: (query, gone) => report(`runs ${query.get("server")}`, gone),
    },
    discovery: async (_question, gone) => {
      await work("discovery", gone);
      return { status: 200, json: [Buffer.from("[]\n")] };
    },
  });
  onTestFinished(() => web.close(0));
  const ask = (path: string): ClientRequest => get(`${url}${path}`, { agent: false }).on("error", () => undefined);
  return { url, ask, rejected, begun, goneReaders, ends, logged };
}

async function answerTo(request: ClientRequest): Promise<IncomingMessage> {
  const [response] = await once(request, "response");
  response.resume();
  return response;
}

const PAGES = [
  "/",
  "/tree?id=1",
  "/search?q=a",
  "/status.json",
  "/debug/explain?object=1",
  "/debug/cardinality",
  "/debug/runs",
  "/sd",
];

describe("expensive pages", () => {
  test.each(PAGES)("let %s wait while two others run, but not metrics and probes", async (page) => {
    const { url, ask, begun, ends } = await startServer();
    const first = [answerTo(ask("/tree?id=8")), answerTo(ask("/search?q=b"))];
    await vi.waitFor(() => expect(begun).toHaveLength(2), PATIENCE);
    const waiting = ask(page);
    for (const path of ["/metrics", "/-/healthy", "/-/ready"]) expect((await fetch(`${url}${path}`)).status).toBe(200);
    expect(begun.toSorted()).toEqual(["node 8", "search b"]);
    ends[0]?.();
    await vi.waitFor(() => expect(begun).toHaveLength(3), PATIENCE);
    ends[1]?.();
    expect((await Promise.all(first)).map(({ statusCode }) => statusCode).toSorted()).toEqual([200, 404]);
    waiting.destroy();
  });

  test("stop for readers that left", async () => {
    const server = await startServer();
    const { ask, begun, goneReaders, ends, logged } = server;
    const first = ask("/tree?id=1");
    const second = ask("/tree?id=2");
    await vi.waitFor(() => expect(begun).toHaveLength(2), PATIENCE);
    const third = ask("/tree?id=3");
    const fourth = ask("/tree?id=4");
    const answered = answerTo(fourth);
    await Promise.all([once(third, "finish"), once(fourth, "finish")]);
    const { url } = server;
    // Requests are answered in order, so this answer comes after all earlier requests.
    const settle = async () => {
      for (let probe = 0; probe < 5; probe++) await fetch(`${url}/-/healthy`);
    };
    await settle();
    third.destroy();
    await settle();
    first.destroy();
    await vi.waitFor(() => expect(begun).toContain("node 4"), PATIENCE);
    second.destroy();
    const fifth = answerTo(ask("/tree?id=5"));
    await vi.waitFor(() => expect(begun).toContain("node 5"), PATIENCE);
    for (const end of ends) end();
    expect((await fifth).statusCode).toBe(404);
    expect((await answered).statusCode).toBe(404);
    expect(begun.filter((name) => name === "node 3")).toEqual([]);
    expect(goneReaders.toSorted()).toEqual(["node 1", "node 2"]);
    expect(logged).toEqual([]);
  });

  test("fail with 503 if too many wait", async () => {
    const { url, ask, begun, rejected } = await startServer();
    const waiting = Array.from({ length: 18 }, (_, index) => ask(`/tree?id=${index}`));
    await vi.waitFor(() => expect(begun).toHaveLength(2), PATIENCE);
    await vi.waitFor(async () => {
      const probe = new AbortController();
      const response = await fetch(`${url}/sd`, { signal: AbortSignal.any([probe.signal, AbortSignal.timeout(500)]) });
      expect([response.status, response.headers.get("retry-after")]).toEqual([503, "1"]);
    }, PATIENCE);
    expect(new Set(rejected)).toEqual(new Set(["requests"]));
    for (const each of waiting) each.destroy();
  });

  test("free their place before a slow reader finishes", async () => {
    const gate = new ConcurrencyLimit();
    const order: string[] = [];
    const never = new Promise<void>(() => undefined);
    const slowlyRead = gate.limit(async (_request, _response, _gone, made) => {
      order.push("made");
      made();
      made();
      await never;
    });
    const server = createServer(slowlyRead).listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const { port } = server.address() as AddressInfo;
    for (let reader = 0; reader < 3; reader++) {
      get({ port, host: "127.0.0.1", agent: false }).on("error", () => undefined);
    }
    await vi.waitFor(() => expect(order).toHaveLength(3), PATIENCE);
  });

  test("are complete before the first byte of a list of targets", async () => {
    const headersWereSent: boolean[] = [];
    const answer = serviceDiscoveryEndpoint(async () => ({ status: 200, json: [Buffer.from("[]\n")] }));
    const { signal } = new AbortController();
    const server = createServer(
      (request, response) => void answer(request, response, signal, () => headersWereSent.push(response.headersSent)),
    ).listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    await answerTo(get({ port, host: "127.0.0.1", path: "/sd", agent: false }));
    expect(headersWereSent).toEqual([false]);
  });
});
