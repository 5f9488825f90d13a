import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createDiscovery, type DiscoverySources } from "../../../src/app/reports/service-discovery.ts";
import { Redactor } from "../../../src/errors/redactor.ts";
import { createRoutes } from "../../../src/http/pages/routes.ts";
import { startWebServer, type WebServer } from "../../../src/http/server/connection-handler.ts";
import { systemClock } from "../../../src/lib/clock.ts";
import { EMPTY_TREE, type TreeNode } from "../../../src/model/tree.ts";

type Device = Partial<Omit<TreeNode, "kind">> & { readonly id: string };

function device({ id, ...given }: Device): TreeNode {
  return {
    ...{ id, kind: "device", name: `device ${id}`, parent: undefined, type: "device", typeName: "Device" },
    ...{ priority: 3, tags: [], favorite: false, host: `10.0.0.${id}`, intervalSeconds: undefined },
    ...{
      path: `Berlin/Switches/device ${id}`,
      probe: "Berlin",
      group: "Switches",
      device: `device ${id}`,
      deviceId: id,
    },
    ...{ inheritedTags: [], parentId: "0", unseen: [], orphan: false },
    ...given,
  };
}

const SECRET = "S3cret-of-the-tests";

const HQ: readonly TreeNode[] = [
  device({ id: "1", tags: ["wan", "cisco"], inheritedTags: ["site-berlin"], host: "core.example.com" }),
  device({ id: "2", probe: "Paris", group: "Servers", type: "windows", favorite: true, host: "2001:db8::2" }),
  device({ id: "3", host: undefined }),
  device({ id: "4", host: "" }),
  device({ id: "5", host: " [2001:db8::5] ", name: 'with "quotes" \ud800\n' }),
  device({ id: "6", host: "http://10.0.0.6/" }),
  device({ id: "7", host: "10.0.0.7:8080", name: SECRET, priority: undefined, favorite: undefined }),
  { ...device({ id: "8", host: "10.0.0.8" }), kind: "sensor" },
  device({ id: "9", host: "two words" }),
];

interface Site {
  readonly web: WebServer;
  readonly url: string;
}

const polled = { lastSuccessAt: 1 };

function sourcesOf(servers: Readonly<Record<string, { nodes: readonly TreeNode[]; tree?: object | null }>>) {
  const monitors = Object.entries(servers).map(([server, { nodes, tree = polled }]) => {
    const collector = { name: "tree", state: "waiting", nextRunAt: undefined, skippedRuns: 0, failedRuns: 0 } as const;
    const unknown = { lastSuccessAt: undefined, lastDurationMs: undefined, complete: undefined, error: undefined };
    const monitor: DiscoverySources["monitors"] extends ReadonlyMap<string, infer Monitor> ? Monitor : never = {
      status: () => ({
        ...{ server, up: true, version: undefined, objects: EMPTY_TREE.counts, channels: 0 },
        collectors: tree === null ? [] : [{ ...collector, ...unknown, ...tree }],
      }),
      view: {
        state: {
          tree: { ...EMPTY_TREE, nodes: new Map(nodes.map((node) => [node.id, node])) },
          statusOf: ({ id }) => (id === "1" ? "down" : id === "2" ? "up" : undefined),
        },
      },
    };
    return [server, monitor] as const;
  });
  return { clock: systemClock, monitors: new Map(monitors) };
}

async function serve(sources: DiscoverySources): Promise<Site> {
  const redactor = new Redactor();
  redactor.add(SECRET);
  const web = await startWebServer({
    addresses: [{ host: "127.0.0.1", port: 0 }],
    log: pino({ level: "silent" }),
    routes: createRoutes({
      telemetryPath: "/metrics",
      exposition: { streamedPage: async () => ({ beginning: [], end: async () => [] }) },
      served: () => undefined,
      isReady: () => true,
      discovery: createDiscovery(() => sources, redactor),
    }),
  });
  return { web, url: `${web.urls[0]}/sd` };
}

let site: Site;
let starting: Site;

beforeAll(async () => {
  site = await serve(sourcesOf({ hq: { nodes: HQ }, branch: { nodes: [device({ id: "1", host: "10.9.0.1" })] } }));
  starting = await serve(
    sourcesOf({
      hq: { nodes: HQ },
      late: { nodes: [], tree: {} },
      blind: { nodes: [], tree: null },
      empty: { nodes: [] },
    }),
  );
});

afterAll(() => Promise.all([site.web.close(0), starting.web.close(0)]));

interface Target {
  readonly targets: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
}

async function ask(query = "", { url }: Site = site): Promise<Target[]> {
  const answer = await fetch(url + query);
  expect(answer.status).toBe(200);
  expect(answer.headers.get("content-type")).toBe("application/json; charset=utf-8");
  const text = await answer.text();
  expect(answer.headers.get("content-length")).toBe(String(Buffer.byteLength(text)));
  return JSON.parse(text);
}

async function addresses(query: string): Promise<string[]> {
  return (await ask(query)).flatMap(({ targets }) => targets);
}

test("each device is a target with labels of its place", async () => {
  const [first] = await ask("?server=hq");
  expect(first).toEqual({
    targets: ["core.example.com"],
    labels: {
      __meta_prtg_server: "hq",
      __meta_prtg_device_id: "1",
      __meta_prtg_device: "device 1",
      __meta_prtg_host: "core.example.com",
      __meta_prtg_kind: "device",
      __meta_prtg_kind_name: "Device",
      __meta_prtg_probe: "Berlin",
      __meta_prtg_group: "Switches",
      __meta_prtg_path: "Berlin/Switches/device 1",
      __meta_prtg_tags: ",wan,cisco,",
      __meta_prtg_inherited_tags: ",site-berlin,",
      __meta_prtg_status: "down",
      __meta_prtg_priority: "3",
      __meta_prtg_favorite: "false",
    },
  });
});

test("names fit Prometheus, and values are valid texts", async () => {
  const targets = await ask();
  for (const { targets: hosts, labels } of targets) {
    expect(hosts).toHaveLength(1);
    for (const [name, value] of Object.entries(labels)) {
      expect(name).toMatch(/^__meta_prtg_[a-z_]+$/);
      expect(value.isWellFormed()).toBe(true);
    }
  }
  const odd = targets.find(({ labels }) => labels.__meta_prtg_device_id === "5");
  expect(odd?.labels.__meta_prtg_device).toBe('with "quotes" \ufffd\n');
});

test("names do not leak a secret", async () => {
  const labels = (await ask()).find(({ labels }) => labels.__meta_prtg_device_id === "7")?.labels;
  expect(labels).toMatchObject({
    __meta_prtg_device: "[redacted]",
    __meta_prtg_priority: "",
    __meta_prtg_favorite: "",
  });
});

describe("filters and ports", () => {
  test.each([
    ["", ["core.example.com", "2001:db8::2", "2001:db8::5", "10.0.0.7:8080", "10.9.0.1"]],
    [
      "?port=9100",
      ["core.example.com:9100", "[2001:db8::2]:9100", "[2001:db8::5]:9100", "10.0.0.7:9100", "10.9.0.1:9100"],
    ],
    ["?server=branch", ["10.9.0.1"]],
    ["?server=branch&server=hq&tag=wan", ["core.example.com"]],
    ["?tag=wan", ["core.example.com"]],
    ["?tag=site-berlin&tag=none", ["core.example.com"]],
    ["?tag=wa", []],
    ["?kind=windows", ["2001:db8::2"]],
    ["?probe=Paris", ["2001:db8::2"]],
    ["?group=Servers&probe=Paris", ["2001:db8::2"]],
    ["?group=Servers&probe=Berlin", []],
    ["?status=down&status=up&server=hq", ["core.example.com", "2001:db8::2"]],
    ["?status=DOWN&server=hq", ["core.example.com"]],
    ["?status=PAUSED_BY_USER", []],
    ["?status=SUMMED_INFO_UP", ["2001:db8::2"]],
    ["?status=&server=hq", ["2001:db8::5", "10.0.0.7:8080"]],
  ])("%j", async (query, expected) => {
    expect(await addresses(query)).toEqual(expected);
  });
});

test.each(["?tags=wan", "?port=0", "?port=65536", "?port=http", "?port=1&port=2", "?port=", "?%F0%9F=1"])(
  "the endpoint rejects %j instead of ignoring it",
  async (query) => {
    const answer = await fetch(site.url + query);
    expect(answer.status).toBe(400);
    expect(await answer.text()).toMatch(/^(unknown parameter: expected server, kind, tag|port: expected one number)/);
  },
);

test.each(["?status=dwon", "?status=up&status=paused", "?server=nobody&status=dwon"])(
  "the endpoint rejects %j and lists the valid statuses",
  async (query) => {
    const answer = await fetch(site.url + query);
    expect(answer.status).toBe(400);
    expect(await answer.text()).toMatch(/^status: expected none, unknown, .* down, disconnected, pausedbyuser, .*\n$/);
  },
);

describe("error answers that make Prometheus keep its list", () => {
  test.each([
    ["", 503, /not read the whole tree/],
    ["?server=late", 503, /not read the whole tree/],
    ["?server=hq&server=late", 503, /not read the whole tree/],
    ["?server=blind", 503, /collector tree is disabled/],
    ["?server=nobody", 404, /no server with this name/],
  ])("%j: %d", async (query, status, words) => {
    const answer = await fetch(starting.url + query);
    expect(answer.status).toBe(status);
    expect(await answer.text()).toMatch(words);
  });

  test("come from a standby replica, which knows no devices", async () => {
    const discovery = createDiscovery(() => ({ ...sourcesOf({}), config: { standbyFor: ["hq"] } }), new Redactor());
    const lists = { servers: [], kinds: [], tags: [], probes: [], groups: [], statuses: [] };
    expect(await discovery({ ...lists, port: undefined }, AbortSignal.timeout(60_000))).toEqual({
      status: 503,
      text: "This replica is a standby. Ask the leader for the devices.",
    });
  });

  test("do not affect other servers", async () => {
    expect(await ask("?server=hq", starting)).toHaveLength(4);
    expect(await ask("?server=empty", starting)).toEqual([]);
  });
});

test("HEAD returns the size, and POST fails", async () => {
  const head = await fetch(site.url, { method: "HEAD" });
  expect(head.status).toBe(200);
  expect(Number(head.headers.get("content-length"))).toBeGreaterThan(1_000);
  expect((await fetch(site.url, { method: "POST" })).status).toBe(405);
});
