import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { CONTENT_SECURITY_POLICY, SCRIPT, STYLE } from "../../../../src/http/pages/status/respond.ts";
import { QueryError, type StatusSource } from "../../../../src/http/pages/status/source.ts";
import type { WebServer } from "../../../../src/http/server/connection-handler.ts";
import { startPageServer } from "../../support/page-server.ts";
import { PATIENCE } from "../../support/patience.ts";
import {
  ANY_SEARCH,
  asIs,
  changesReport,
  nodeReport,
  searchReport,
  sensorReport,
  serverListReport,
  statusReport,
  summary,
} from "./reports.ts";

const asked: unknown[] = [];
let server: WebServer;
let base: string;

const status: StatusSource = {
  status: async (question) => {
    asked.push(question);
    if (question?.server === "nowhere") return undefined;
    return question?.find === "one" || question?.server !== undefined ? statusReport() : serverListReport();
  },
  node: async (question) => {
    asked.push(question);
    if (question.server === "nowhere") return undefined;
    if (question.id === "0") return { ...nodeReport(), node: rootSummary(question.server ?? "hq") };
    return question.id === "404" ? undefined : question.id === "50" ? sensorReport() : nodeReport();
  },
  search: async (question) => {
    asked.push(question);
    if (question.server === "nowhere") throw new QueryError("server", "nowhere", ["hq"]);
    return searchReport();
  },
  changes: async (question) => {
    if (question.server === "nowhere") throw new QueryError("server", "nowhere", ["hq"]);
    return changesReport();
  },
  age: () => ({ as_of: null, age_seconds: null }),
  course: () => [],
  chart: async (question) => {
    asked.push({ chart: question });
    return { kind: "waiting" };
  },
};

beforeAll(async () => {
  ({ web: server, url: base } = await startPageServer({ status }));
});

function rootSummary(name: string) {
  return summary(asIs, { server: name, id: "0", kind: "root", name });
}

afterAll(() => server.close(0));

async function lastAsked(path: string): Promise<unknown> {
  asked.length = 0;
  await (await fetch(base + path)).arrayBuffer();
  return asked.at(-1);
}

describe.each([
  "/",
  "/?find=one",
  "/?find=cust&page=2",
  "/tree?server=hq",
  "/tree?server=hq&id=40",
  "/tree?id=50",
  "/tree?id=50&chart=1",
  "/tree?id=404",
  "/search?q=sw",
  "/?q=sw",
  "/changes",
  "/changes?server=hq&page=2",
])("%s", (path) => {
  test("loads only our style and script", async () => {
    const response = await fetch(base + path);
    expect(response.status).toBe(path.includes("404") ? 404 : 200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": CONTENT_SECURITY_POLICY,
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
      "cache-control": "no-store",
      vary: "Accept-Encoding",
    });
    expect(CONTENT_SECURITY_POLICY).not.toContain("unsafe");
    const page = await response.text();
    expect(page.startsWith("<!doctype html>")).toBe(true);
    expect(page).toContain(`href=".${STYLE.path}"`);
    expect(page).toContain(`src=".${SCRIPT.path}"`);
  });
});

test("a page is small, and compressed on request", async () => {
  const plain = await fetch(`${base}/`, { headers: { "Accept-Encoding": "identity" } });
  const zipped = await fetch(`${base}/`, { headers: { "Accept-Encoding": "gzip" } });
  expect([plain.headers.get("content-encoding"), zipped.headers.get("content-encoding")]).toEqual([null, "gzip"]);
  expect(Number(plain.headers.get("content-length"))).toBe((await plain.arrayBuffer()).byteLength);
  expect(Number(zipped.headers.get("content-length"))).toBeLessThan(10_000);
  await zipped.arrayBuffer();
});

test("a page answers HEAD without a body and rejects writes", async () => {
  const head = await fetch(`${base}/`, { method: "HEAD" });
  expect((await head.arrayBuffer()).byteLength).toBe(0);
  expect((await fetch(`${base}/`, { method: "POST", body: "x" })).status).toBe(405);
});

describe("monitoring server", () => {
  const charts = async (path: string) => {
    asked.length = 0;
    const text = await (await fetch(base + path)).text();
    return [asked.filter((question) => typeof question === "object" && question !== null && "chart" in question), text];
  };

  test("gets a request for a chart when a reader wants one", async () => {
    const [questions, page] = await charts("/tree?server=hq&id=50&from=200&chart=1");
    expect(questions).toEqual([{ chart: { server: "hq", id: "50" } }]);
    expect(page).toContain("The server has not answered yet.");
  });

  test.each([
    "/",
    "/tree?id=50",
    "/tree?id=50&chart=",
    "/tree?id=50&chart=0",
    "/search?q=x&chart=1",
    "/status.json?id=50&chart=1",
  ])("gets no request for %s", async (path) => expect((await charts(path))[0]).toEqual([]));
});

describe("readers of charts", () => {
  test("do not take the places of other readers while the monitoring server is silent", async () => {
    let waiting = 0;
    const chart = () => {
      waiting++;
      return new Promise<never>(() => undefined);
    };
    const { web, url } = await startPageServer({ status: { ...status, chart } });
    const leaving = new AbortController();
    const readers = Array.from({ length: 24 }, () => fetch(`${url}/tree?id=50&chart=1`, { signal: leaving.signal }));
    const ended = Promise.allSettled(readers);
    await vi.waitFor(() => expect(waiting).toBe(24), PATIENCE);
    expect((await fetch(`${url}/tree?id=50`)).status).toBe(200);
    leaving.abort();
    expect((await ended).map(({ status }) => status)).toEqual(Array(24).fill("rejected"));
    await web.close(0);
  });

  test("get 503 with a time to retry if too many wait, which counts as a rejection", async () => {
    const rejected: string[] = [];
    const busy = { ...status, chart: async () => ({ kind: "busy", retryAfterSeconds: 10 }) as const };
    const { web, url } = await startPageServer({ status: busy, rejected: (reason) => rejected.push(reason) });
    const answer = await fetch(`${url}/tree?id=50&chart=1`);
    expect([answer.status, answer.headers.get("retry-after"), rejected]).toEqual([503, "10", ["requests"]]);
    expect(await answer.text()).toBe("Too many readers wait for charts. Retry later.\n");
    await web.close(0);
  });
});

describe("parameters of pages", () => {
  test.each([
    ["/", { server: undefined, find: "", page: 1, view: "grouped" }],
    ["/?find=+north+sea+&page=12", { server: undefined, find: "north sea", page: 12, view: "grouped" }],
    ["/?page=0", { server: undefined, find: "", page: 1, view: "grouped" }],
    ["/?page=-1&server=hq", { server: undefined, find: "", page: 1, view: "grouped" }],
    ["/?page=1e9", { server: undefined, find: "", page: 1, view: "grouped" }],
    [`/?find=${"x".repeat(5_000)}`, { server: undefined, find: "x".repeat(200), page: 1, view: "grouped" }],
    ["/?view=single", { server: undefined, find: "", page: 1, view: "single" }],
    ["/status.json?view=grouped", { server: undefined, find: "", page: 1, view: "grouped" }],
    ["/status.json?page=3", { server: undefined, find: "", page: 3, view: "single" }],
    ["/status.json?server=h%26q", { server: "h&q", find: "", page: 1, view: "single" }],
    ["/tree?server=h%26q", { server: "h&q", find: "", page: 1, view: "grouped" }],
    ["/tree?id=40", { server: undefined, id: "40", from: 0 }],
    ["/tree?server=h%26q&id=2490&from=200", { server: "h&q", id: "2490", from: 200 }],
    ["/tree?id=1&from=-5", { server: undefined, id: "1", from: 0 }],
    ["/tree?id=1&from=1e9", { server: undefined, id: "1", from: 0 }],
    ["/tree?id=40&sort=-since", { server: undefined, id: "40", from: 0, sort: { key: "since", isDescending: true } }],
    ["/search", ANY_SEARCH],
    ["/search?q=+core+sw&server=hq&status=down", { ...ANY_SEARCH, text: "core sw", server: "hq", statuses: ["down"] }],
    ["/search?status=down,+warning&status=up&status=", { ...ANY_SEARCH, statuses: ["down", "warning", "up"] }],
    ["/search?priority=5,4&tag=+core+&probe=hq", { ...ANY_SEARCH, priorities: [5, 4], tag: "core", probe: "hq" }],
    [
      "/search?q=a&sort=priority&page=3",
      { ...ANY_SEARCH, text: "a", sort: { key: "priority", isDescending: false }, page: 3 },
    ],
    ["/search?q=a&page=0", { ...ANY_SEARCH, text: "a" }],
    [`/search?q=${"x".repeat(5_000)}`, { ...ANY_SEARCH, text: "x".repeat(200) }],
    ["/status.json?object=50", { server: undefined, id: "50", from: 0 }],
    ["/status.json?q=sw", { ...ANY_SEARCH, text: "sw" }],
    ["/status.json?tag=core", { ...ANY_SEARCH, tag: "core" }],
    ["/status.json?status=down", { ...ANY_SEARCH, statuses: ["down"] }],
  ])("include %s", async (path, expected) => {
    expect(await lastAsked(path)).toEqual(expected);
  });
});

describe("/status.json", () => {
  test.each([
    ["", serverListReport()],
    ["?server=hq", statusReport()],
    ["?server=hq&object=40", nodeReport()],
    ["?id=50", sensorReport()],
    ["?q=sw", searchReport()],
  ])("returns the facts for %j", async (query, expected) => {
    const response = await fetch(`${base}/status.json${query}`);
    expect(response.headers.get("content-type")).toBe("application/json; charset=utf-8");
    expect(await response.json()).toEqual(expected);
  });

  test("reports an unknown server", async () => {
    const response = await fetch(`${base}/status.json?server=nowhere`);
    expect([response.status, await response.json()]).toEqual([404, { error: "unknown server" }]);
    expect((await fetch(`${base}/tree?server=nowhere`)).status).toBe(404);
  });

  test.each([
    ["server=nowhere&q=x", 'unknown server "nowhere"', ["hq"]],
    ["q=x&priority=9", 'unknown priority "9"', ["1", "2", "3", "4", "5"]],
    ["q=x&sort=colour", 'unknown sort key "colour"', expect.arrayContaining(["name", "-name"])],
    ["id=40&sort=--name", 'unknown sort key "--name"', expect.arrayContaining(["since"])],
  ])("refuses %s and names the known values, on pages too", async (query, error, known) => {
    const response = await fetch(`${base}/status.json?${query}`);
    expect([response.status, await response.json()]).toEqual([400, { error, known }]);
    const path = query.startsWith("id=") ? "tree" : "search";
    const page = await fetch(`${base}/${path}?${query}`);
    expect(page.status).toBe(400);
    expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(await page.text()).toContain(`Error: <bdi>${error.replaceAll('"', "&quot;")}</bdi>`);
  });

  test.each([
    ["id=404", "unknown object", "No object <bdi>404</bdi>", "PRTG has removed it, the exporter has not read it yet,"],
    ["server=hq&id=404", "unknown object", "No object <bdi>404</bdi>", "PRTG has removed it"],
    ["server=nowhere&id=404", "unknown server", "No server <bdi>nowhere</bdi>", "has no server with this name"],
    ["server=nowhere&id=0", "unknown server", "No server <bdi>nowhere</bdi>", "has no server with this name"],
  ])("reports what is unknown of %s", async (query, error, ...texts) => {
    const response = await fetch(`${base}/status.json?${query}`);
    expect([response.status, await response.json()]).toEqual([404, { error }]);
    const page = await fetch(`${base}/tree?${query}`);
    expect(page.status).toBe(404);
    const text = await page.text();
    for (const each of texts) expect(text).toContain(each);
  });
});

describe("style and script", () => {
  test.each([STYLE, SCRIPT])("$path can be cached forever, because its name has its hash", async (asset) => {
    const response = await fetch(base + asset.path);
    expect(response.headers.get("content-type")).toBe(asset.contentType);
    expect(response.headers.get("cache-control")).toContain("immutable");
    expect(await response.text()).toBe(asset.body);
    expect(asset.path).toMatch(/^\/assets\/[0-9a-f]{10}-status\.(css|js)$/);
  });

  test("creates no markup from text", () => {
    expect(SCRIPT.body).not.toMatch(/innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function/);
    expect(STYLE.body).not.toMatch(/@import|url\(/);
  });
});
