import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { linksSchema } from "../../../src/config/links-schema.ts";
import { createRoutes, type Routes, tenantRoutes } from "../../../src/http/pages/routes.ts";
import { ChangesReport } from "../../../src/http/pages/status/changes-report.ts";
import { NodeReport, SearchReport, TenantReport } from "../../../src/http/pages/status/report.ts";
import { startWebServer, type WebServer } from "../../../src/http/server/connection-handler.ts";
import { fakeServers } from "../../support/fake-status-source.ts";

/** `customer 8` is the hostile reader. The others have other counts, and some fail with their own words. */
const OWN = "customer 8";
const OTHER = "customer 7";
const SECRET_WORDS = "their secret error";
const SERVERS = 100;

/** Each `%` is the name of a server, encoded. */
const PATHS_WITH_SERVER = [
  ...["/tree?server=%", "/tree?server=%&id=0", "/tree?server=%&id=2", "/tree?server=%&id=100", "/tree?id=100&server=%"],
  ...["/tree?server=%&id=2&from=5", "/tree?server=%&sort=-name", "/tree?server=%&id=2&sort=status"],
  ...["/tree?server=%&id=100&chart=1", "/tree?server=%&chart=1", "/tree?server=%&object=2"],
  ...["/search?server=%", "/search?server=%&q=ping", "/search?q=ping&server=%&status=down", "/?q=ping&server=%"],
  ...["/search?server=%&status=up&priority=3&sort=name&page=2", "/search?tag=a&server=%", "/search?probe=l&server=%"],
  ...["/status.json?server=%", "/status.json?server=%&object=0", "/status.json?server=%&object=2&from=1"],
  ...["/status.json?server=%&id=100", "/status.json?q=ping&server=%", "/status.json?status=down&server=%"],
  ...["/status.json?server=%&page=3", "/status.json?server=%&find=c", "/status.json?server=%&server=x"],
  ...["/changes?server=%", "/changes?server=%&page=2", "/changes.json?server=%", "/changes.json?page=1&server=%"],
  ...["/metrics/%", "/metrics?server=%", `/metrics?server=${encodeURIComponent(OWN)}&server=%`],
  ...["/metrics?server=%&shard=0/2", "/metrics/%?shard=0/2"],
];
/** A server cannot be named here, but these would show all of them to an administrator. */
const PATHS_OF_ALL = [
  ...["/", "/?page=2", "/?find=customer", "/?find=7", "/?page=99", "/?server=customer+7", "/?find=customer+7"],
  ...["/tree", "/tree?id=2", "/tree?id=100", "/tree?id=0", "/tree?id=100&chart=1", "/tree?id=100&from=1"],
  ...["/search", "/search?q=", "/search?q=customer", "/search?q=ping", "/search?status=down", "/search?priority=3"],
  ...[
    "/search?sort=since",
    "/search?page=9",
    "/search?status=warning",
    "/search?q=100",
    "/search?tag=x",
    "/?status=up",
  ],
  ...["/status.json", "/status.json?page=2", "/status.json?find=7", "/status.json?find=customer", "/status.json?id=2"],
  ...["/status.json?object=0", "/status.json?q=ping", "/status.json?status=down", "/status.json?q=&page=3"],
  ...["/changes", "/changes?page=2", "/changes.json", "/changes.json?page=9", "/changes.json?find=7", "/changes/"],
  ...["/metrics", "//tree?server=customer+7", "/tree/?server=customer+7", "/search/", "/status.json/"],
  ...["/%2e/status.json", "/status%2ejson", "/TREE?server=customer+7"],
];
const FORBIDDEN = [
  ...["/debug/runs", "/debug/runs?server=customer+7", "/debug/cardinality", "/debug/explain?object=100", "/sd"],
  ...["/-/reload", "/-/healthy", "/-/ready", "/metricsx", "/nothing", "/debug", "/assets/", "/assets/none.css"],
];

let tenant: WebServer;
/** The same exporter for another customer, and for a user who sees all. */
let other: WebServer;
let operator: WebServer;
let work: ReturnType<typeof fakeServers>["work"];

beforeAll(async () => {
  const fake = fakeServers(SERVERS, {
    saidBy: (name) => (name === OWN ? "own words" : SECRET_WORDS),
    links: linksSchema.parse([{ name: "Grafana", url: "https://grafana.example.com/{server}/{device}?id={id}" }]),
  });
  work = fake.work;
  const asked: string[] = [];
  const exposition = {
    streamedPage: async (_format: unknown, _encoding: unknown, part: { readonly servers?: readonly string[] }) => {
      asked.push(...(part.servers ?? ["all"]));
      return { beginning: [Buffer.from(`# ${part.servers ?? "all"}\n`)], end: async () => [] };
    },
  };
  const options = {
    telemetryPath: "/metrics",
    exposition: exposition as unknown as Parameters<typeof tenantRoutes>[0]["exposition"],
    served: () => undefined,
    hasServer: (name: string) => /^customer \d+$/.test(name),
  };
  const page = async () => ({ status: 200 as const, sections: [{ title: OTHER }], json: {} });
  const routes = tenantRoutes(options, [OWN, "gone"], fake.of([OWN, "gone"]));
  const neighbour = tenantRoutes(options, [OTHER], fake.of([OTHER]));
  const start = (restricted: Routes | undefined) =>
    startWebServer({
      addresses: [{ host: "127.0.0.1", port: 0 }],
      log: pino({ level: "silent" }),
      routes: createRoutes({
        ...{ ...options, isReady: () => true, status: fake.source },
        debug: { explain: page, cardinality: page, runs: page },
      }),
      actions: new Map([["/-/reload", (_request, response) => void response.end("Reloaded.\n")]]),
      restricted: () => restricted,
    });
  [tenant, other, operator] = await Promise.all([start(routes), start(neighbour), start(undefined)]);
});

afterAll(() => Promise.all([tenant, other, operator].map((server) => server.close(0))));

/** An answer with all headers but those of the connection. */
async function whole(server: WebServer, path: string, headers: Readonly<Record<string, string>>, method = "GET") {
  const response = await fetch(`${server.urls[0]}${path}`, { method, headers });
  const answered = Object.fromEntries(response.headers);
  for (const name of ["date", "keep-alive", "connection"]) delete answered[name];
  return { status: response.status, headers: answered, text: await response.text() };
}

const ask = (path: string, method = "GET") => whole(tenant, path, { "accept-encoding": "identity" }, method);

/** Any other customer, its error, or a count that only all of them have. */
function expectNothingOfOthers(text: string, asked: string): void {
  // The reader wrote the name.
  const own = asked.includes("customer") ? text.replaceAll(OTHER, "") : text;
  const numbers = [...own.matchAll(/customer(?: |%20|\+)(\d+)/g)].map(([, number]) => number);
  expect(numbers.filter((number) => number !== "8")).toEqual([]);
  expect(own.includes(SECRET_WORDS)).toBe(false);
  expect(/\b(99|100|1,?98\d|2,?000) (servers|sensors|devices)/.exec(own)).toBeNull();
}

const named = (path: string, name: string) => path.replaceAll("%", encodeURIComponent(name));

describe.each(["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"])("a hostile customer with %s", (method) => {
  it.each(PATHS_WITH_SERVER)("cannot tell the server of another from none in %s", async (path) => {
    const theirs = await ask(named(path, OTHER), method);
    // As long as the other name, so that cut texts are the same.
    const none = await ask(named(path, "customer x"), method);
    const blank = (text: string, name: string) =>
      text
        .replaceAll(name, "NAME")
        .replaceAll(encodeURIComponent(name), "NAME")
        .replace(/\d+(\.\d+)? (m?s) ago/g, "");
    expect(blank(theirs.text, OTHER)).toBe(blank(none.text, "customer x"));
    // With the length of the body.
    expect({ ...theirs, text: "" }).toEqual({ ...none, text: "" });
    expect(theirs.status).not.toBe(200);
    expectNothingOfOthers(theirs.text, path.replace("%", "customer"));
  });

  it.each(PATHS_OF_ALL)("finds nothing of others in %s", async (path) => {
    const { status, text, headers } = await ask(path, method);
    expect(status).not.toBe(500);
    expectNothingOfOthers(text + JSON.stringify(headers), path);
  });

  it.each(FORBIDDEN)("gets 403 from %s", async (path) => {
    const { status, text } = await ask(path, method);
    expect(status).toBe(403);
    expectNothingOfOthers(text, path);
  });
});

describe("caches", () => {
  const pages = ["/", "/tree?id=2", "/tree?id=100", "/search?q=ping", "/changes"];
  const data = ["/status.json", "/status.json?id=2", "/changes.json", "/metrics"];

  it.each([...pages, ...data])("hold nothing of %s, which has no validator and is sent whole again", async (path) => {
    const validators = {
      "if-none-match": "*",
      "if-modified-since": new Date(Date.now() + 86_400_000).toUTCString(),
      "cache-control": "max-stale",
    };
    for (const server of [other, operator, tenant]) {
      // The pages of the fake exposition are not compressed.
      const encoding = path === "/metrics" ? "identity" : "gzip";
      const { status, headers } = await whole(server, path, { ...validators, "accept-encoding": encoding });
      expect([path, status]).toEqual([path, 200]);
      expect(headers).not.toHaveProperty("etag");
      expect(headers).not.toHaveProperty("last-modified");
      if (path !== "/metrics") expect(headers).toMatchObject({ "cache-control": "no-store" });
    }
  });

  it.each(pages)("give each reader an own %s, compressed or not, also at the same time", async (path) => {
    for (const encoding of ["gzip", "identity"]) {
      const read = (server: WebServer) => whole(server, path, { "accept-encoding": encoding });
      const answers = await Promise.all([read(operator), read(other), read(tenant), read(other), read(tenant)]);
      const [, theirs, own, , again] = answers;
      expect(theirs?.headers["content-encoding"]).toBe(encoding === "gzip" ? "gzip" : undefined);
      for (const page of [own, again]) {
        expect(page?.text).toMatch(/customer[ +]8/);
        expectNothingOfOthers(page?.text ?? "", path);
      }
      expect(theirs?.text).toMatch(/customer[ +]7/);
      expect(theirs?.text).not.toMatch(/customer[ +]8/);
    }
  });
});

describe("a customer", () => {
  const json = async (path: string) => JSON.parse((await ask(path)).text);

  it("gets totals, problems and details of the own server", async () => {
    const report = TenantReport.parse(await json("/status.json"));
    expect(report.totals).toMatchObject({
      servers: 1,
      objects: { probe: 1, device: 1, sensor: 20 },
      measurements: null,
    });
    expect(report.page).toMatchObject({ pages: 1, matching: 1 });
    expect(report.servers.map(({ name }) => name)).toEqual([OWN]);
    expect(report.servers[0]?.collectors).toHaveLength(6);
  });

  it("gets tree and search of the own server", async () => {
    expect(NodeReport.parse(await json("/status.json?id=2")).node.server).toBe(OWN);
    expect(SearchReport.parse(await json("/status.json?q=ping")).total).toBe(20);
    const text = (await ask(`/tree?server=${encodeURIComponent(OWN)}&id=2`)).text;
    expect(text).toContain("switch");
  });

  it("gets no link to tools of the operator, who gets one with the values of the object", async () => {
    const links = async (server: WebServer, path: string) =>
      NodeReport.parse(JSON.parse((await whole(server, path, {})).text)).links;
    for (const id of ["1", "2", "100"]) {
      expect(await links(tenant, `/status.json?id=${id}`)).toEqual([]);
      expect((await ask(`/tree?id=${id}`)).text).not.toContain("grafana.example.com");
    }
    const urls = (await links(operator, `/status.json?id=2&server=${encodeURIComponent(OTHER)}`)).map(({ url }) => url);
    expect(urls).toEqual(["https://grafana.example.com/customer%207/switch?id=2"]);
  });

  it("gets the changes of the own server", async () => {
    const { items, total } = ChangesReport.parse(await json("/changes.json"));
    expect([total, items[0]]).toMatchObject([1, { server: OWN, count: 4, change: "down", object: { name: "switch" } }]);
    expect((await ask("/changes")).text).toContain("4 sensors");
  });

  it("gets the whole overview without the exporter", async () => {
    const { status, text } = await ask("/");
    expect(status).toBe(200);
    for (const part of ["Tree", "Collectors and API", OWN]) expect(text).toContain(part);
    expect(text).not.toMatch(/Resident|Memory|Configuration|exporter-details|debug\//);
  });

  it("gets the style, the script and a 404 for a server that does not exist yet", async () => {
    const [style] = /\/assets\/[^"]*\.css/.exec((await ask("/")).text) ?? [];
    expect((await ask(style ?? "/none")).status).toBe(200);
    expect((await ask("/tree?server=gone")).status).toBe(404);
  });

  it("causes no look at other servers", async () => {
    work.drawn.clear();
    work.detailed.clear();
    for (const path of [...PATHS_OF_ALL, ...PATHS_WITH_SERVER.map((each) => named(each, OTHER))]) await ask(path);
    expect([...work.drawn, ...work.detailed].filter((name) => name !== OWN)).toEqual([]);
  });
});
