import type { SimSensor, World } from "prtg-simulator/src/world/model.ts";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { Exporter } from "../../../src/app/exporter.ts";
import { openOtlpPush } from "../../../src/app/otlp-preparation.ts";
import type { StatusSources } from "../../../src/app/reports/sources.ts";
import { createDebugPages, createStatusSource } from "../../../src/app/reports/status-pages.ts";
import { Redactor } from "../../../src/errors/redactor.ts";
import { type DebugPage, debugText } from "../../../src/http/pages/status/debug-view.ts";
import { NodeReport, SearchReport, StatusReport } from "../../../src/http/pages/status/report.ts";
import { type SearchQuery, SORT_KEYS, type StatusQuery } from "../../../src/http/pages/status/source.ts";
import { PROBLEM_STATUSES, placeOfStatus } from "../../../src/http/pages/status/status-order.ts";
import { plainMapper } from "../../../src/mapping/channel-mapper.ts";
import { TREE_FAMILIES } from "../../../src/mapping/metric-table.ts";
import { STATUS_TOKENS } from "../../../src/prtg/status.ts";
import { SeriesTable } from "../../../src/store/series-table.ts";
import { memoryPipeline } from "../../collectors/memory-pipeline.ts";
import { channel, smallServer } from "../../collectors/small-server.ts";
import { ANY_SEARCH } from "../../http/pages/status/reports.ts";
import { startReceiver } from "../../otlp/support/otlp-http-receiver.ts";
import { objectCounts, servedValue, statusCounts } from "../../support/expected-series.ts";
import { CLOCK_START } from "../../support/manual-clock.ts";
import { never } from "../../support/never-aborted.ts";
import { isOwnMetric } from "../../support/parse-sample.ts";
import {
  type SimulatedExporter,
  startSimulatedExporter,
  TEST_KEY,
  testContext,
} from "../../support/simulated-exporter.ts";

/** On one line, despite user input. */
const SAID = "<b>Moved</b> to \u202erack 5 &amp; 6";

const SETTINGS = "mapping: { presets: [base-units] }\nmetrics: { api_detail: endpoint }\n";

const at = CLOCK_START;

let running: SimulatedExporter;
let world: World;
let page: string;
let sensors: SimSensor[];

beforeAll(async () => {
  running = await startSimulatedExporter({ size: { sensors: 300 }, settings: SETTINGS });
  ({ world } = running.simulator);
  running.simulator.freezeAt(at);
  sensors = [...world.list("sensor")];
  // Problems of the world's own would come first in the search for these.
  const found = sensors.filter(({ parent }) => parent === named(0).parent);
  for (const { id } of [...found, named(sensors.length - 1)]) world.force(id, "up", at);
  world.rename(named(0).id, "uplink of the tests");
  world.rename(named(1).id, "the uplink of the tests");
  world.rename(named(2).id, `with ${TEST_KEY}`);
  world.pause(named(3).id, at, SAID);
  world.pause(named(4).id, at, `key ${TEST_KEY}`);
  world.rename(named(0).parent?.id ?? "", "rankword");
  world.rename(named(sensors.length - 1).id, "the rankword");
  expect(await running.poll()).toBe(true);
  page = await running.page();
});

afterAll(() => running.close());

function named(index: number): SimSensor {
  const sensor = sensors[index];
  if (sensor === undefined) throw new Error(`no sensor ${index}`);
  return sensor;
}

async function node(id: string, from = 0, server?: string): Promise<NodeReport> {
  const report = await running.exporter.status.node({ server, id, from });
  return NodeReport.parse(report);
}

async function status(question?: StatusQuery): Promise<StatusReport> {
  return StatusReport.parse(await running.exporter.status.status(question));
}

async function search(text: string, more: Partial<SearchQuery> = {}): Promise<SearchReport> {
  return SearchReport.parse(await running.exporter.status.search({ ...ANY_SEARCH, text, ...more }));
}

describe("last hours of a sensor", () => {
  const requests = () => running.simulator.requests.count({ method: "GET" });

  test("come from the server in one request for all readers", async () => {
    const sensor = sensors.find((each) => world.state(each, at).status === "up" && each.channels.length > 1);
    if (sensor === undefined) throw new Error("no sensor is up");
    const before = requests();
    const [outcome, same] = await Promise.all(
      ["hq", undefined].map((server) => running.exporter.status.chart({ server, id: sensor.id }, never)),
    );
    expect(requests()).toBe(before + 1);
    if (outcome?.kind !== "drawn" || same?.kind !== "drawn") throw new Error("no chart");
    expect(same.chart).toBe(outcome.chart);
    const { from, to, channels } = outcome.chart;
    expect(to - from).toBe(4 * 3_600_000);
    expect(channels.size).toBeGreaterThan(0);
    const shown = await node(sensor.id);
    for (const [id, parts] of channels) {
      expect(shown.sensor?.channels.map(({ channel_id }) => channel_id)).toContain(id);
      expect(parts.length).toBeGreaterThan(10);
      expect(parts.every(({ at: when, low, high }) => when >= from && when <= to && low <= high)).toBe(true);
    }
    const value = shown.sensor?.channels.find(
      ({ channel_id, value: served }) => served !== null && channels.has(channel_id),
    );
    const last = channels.get(value?.channel_id ?? "")?.at(-1);
    expect(value?.value).toBeGreaterThanOrEqual(last?.low ?? Number.NaN);
    expect(value?.value).toBeLessThanOrEqual(last?.high ?? Number.NaN);
  });

  test("cause no request for other objects", async () => {
    const before = requests();
    for (const id of ["0", "999999", named(0).parent?.id ?? ""]) {
      expect(await running.exporter.status.chart({ server: undefined, id }, never)).toBeUndefined();
    }
    expect(requests()).toBe(before);
  });

  test("explain missing data without secrets", async () => {
    const redactor = new Redactor();
    redactor.add(TEST_KEY);
    const reason = `it said ${TEST_KEY}`;
    const charts = { read: async () => ({ kind: "failed", reason }) as const };
    const source = createStatusSource(() => ({ charts }) as unknown as StatusSources, redactor);
    expect(await source.chart({ server: "hq", id: "1" }, never)).toEqual({
      kind: "failed",
      reason: redactor.redact(reason),
    });
    expect(redactor.redact(reason)).not.toContain(TEST_KEY);
  });
});

test("the exporter counts the statuses of a server only while it runs", async () => {
  expect(running.exporter.status.course("hq")).toEqual([]);
});

describe("status report", () => {
  test("fits its schema and shows the current state", async () => {
    const report = await status();
    const [server] = report.servers;
    expect(server).toMatchObject({ name: "hq", up: true, url: running.simulator.url, measurements: null });
    expect(server?.objects).toEqual(Object.fromEntries(objectCounts(world)));
    expect(server?.sensors_by_status).toEqual(Object.fromEntries(statusCounts(world, at)));
    expect(server).toMatchObject({ state: "working", failed_collectors: [], reason: null });
    expect(Date.parse(server?.last_poll_at ?? "")).toBeGreaterThan(at - 60_000);
    const parents = { probe: objectCounts(world).get("probe"), group: objectCounts(world).get("group") };
    expect(server?.parents_by_status).toMatchObject({ probe: { up: parents.probe }, group: { up: parents.group } });
    expect(report.totals).toEqual({
      servers: 1,
      servers_by_state: { working: 1 },
      objects: server?.objects,
      sensors_by_status: server?.sensors_by_status,
      parents_by_status: server?.parents_by_status,
      measurements: null,
    });
    expect(report.page).toEqual({ number: 1, pages: 1, from: 0, matching: 1 });
    expect(server?.version).toMatch(/^\d+\./);
    expect(server?.collectors?.map(({ name, complete, failed_runs }) => [name, complete, failed_runs])).toEqual(
      ["health", "tree", "status", "channels", "limits", "timeseries"].map((name) => [name, true, 0]),
    );
    for (const { age_seconds, last_success_at, error } of server?.collectors ?? []) {
      expect([age_seconds !== null && age_seconds < 60, error]).toEqual([true, null]);
      expect(Date.parse(last_success_at ?? "")).toBeGreaterThan(at - 60_000);
    }
    expect(report).toMatchObject({ build: { version: "0.0.0-test" }, configuration: { last_reload_successful: true } });
    expect(report.otlp).toBeNull();
  });

  test("counts requests like the metrics", async () => {
    const { api } = (await status()).servers[0] ?? {};
    const simulated = running.simulator.requests.count({ route: "/experimental/channels" });
    const endpoint = api?.endpoints.find((each) => each.endpoint === "/experimental/channels");
    expect(endpoint).toMatchObject({ requests: simulated, failures: {}, retries: 0 });
    expect(endpoint?.mean_seconds).toBeGreaterThan(0);
    expect(endpoint?.received_bytes).toBeGreaterThan(1_000);
    expect(api?.requests).toBe(api?.endpoints.reduce((sum, { requests }) => sum + requests, 0));
  });

  test("counts the series of the page", async () => {
    const { metrics } = await status();
    const lines = page.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
    const own = lines.filter(isOwnMetric);
    expect(metrics.series).toBe(lines.length - own.length);
    expect(metrics.families.reduce((sum, { series }) => sum + series, 0)).toBe(metrics.series);
    expect(metrics.pages.every(({ bytes }) => bytes > 1_000)).toBe(true);
  });

  test("reports failures by code and an unreachable server", async () => {
    const failing = await startSimulatedExporter({
      size: { sensors: 10 },
      settings: "collectors: { limits: { enabled: false }, timeseries: { enabled: false } }\n",
    });
    try {
      await failing.poll();
      await failing.simulator.close();
      expect(await failing.poll()).toBe(false);
      const [server] = StatusReport.parse(await failing.exporter.status.status()).servers;
      expect(server?.up).toBe(false);
      expect(server).toMatchObject({ state: expect.stringMatching("failing|unreachable") });
      expect(server?.failed_collectors).toContain("channels");
      expect(server?.reason).toBe(server?.collectors?.find(({ error }) => error !== null)?.error);
      expect(Object.keys(server?.api?.failures ?? {})).not.toEqual([]);
      expect(server?.collectors?.find(({ name }) => name === "channels")).toMatchObject({
        failed_runs: 1,
        complete: false,
        error: expect.stringContaining("["),
        last_success_at: expect.any(String),
      });
    } finally {
      await failing.exporter.stop();
    }
  });
});

describe("problems", () => {
  test("are the worst sensors with value, device and address in PRTG", async () => {
    const { problems } = await status();
    const counts = statusCounts(world, at);
    const expected = PROBLEM_STATUSES.reduce((sum, token) => sum + (new Map(counts).get(token) ?? 0), 0);
    expect(problems.total).toBe(expected);
    expect(problems.items).toHaveLength(Math.min(20, expected));
    const order = problems.items.map(({ status: token, priority, status_since }) => [
      placeOfStatus(token ?? undefined),
      -(priority ?? 0),
      -Date.parse(status_since ?? ""),
    ]);
    const compare = (a: readonly number[], b: readonly number[]) =>
      a.map((value, index) => value - (b[index] ?? 0)).find((difference) => difference !== 0) ?? 0;
    expect(order).toEqual(order.toSorted(compare));
    for (const { id, device, channel, prtg_url, last_measurement_at } of problems.items) {
      const sensor = sensors.find((each) => each.id === id);
      expect(device).toEqual({ id: sensor?.parent?.id, name: sensor?.parent?.name });
      expect(prtg_url).toBe(`https://127.0.0.1/sensor.htm?id=${id}`);
      expect(sensor?.channels.map(({ name }) => name)).toContain(channel?.name);
      expect(last_measurement_at).not.toBe(undefined);
    }
    const listed = await search("", { statuses: PROBLEM_STATUSES });
    expect(listed.total).toBe(expected);
    expect(listed.items.slice(0, 20).map(({ id }) => id)).toEqual(problems.items.map(({ id }) => id));
  });
});

describe("page of an object", () => {
  test("links from the root to every sensor", async () => {
    const seen: string[] = [];
    const walk = async (id: string): Promise<void> => {
      const { children } = await node(id);
      expect(children.items).toHaveLength(Math.min(children.total, 50));
      for (const child of children.items) {
        if (child.kind === "sensor") seen.push(child.id);
        else if (child.children > 0) await walk(child.id);
      }
    };
    await walk("0");
    expect(seen.toSorted()).toEqual(sensors.map(({ id }) => id).toSorted());
  });

  test("shows its path and the statuses of sensors below it", async () => {
    const device = world.list("device").find(({ id }) => id === named(0).parent?.id);
    if (device === undefined) throw new Error("no device");
    const report = await node(device.id);
    expect(report.node).toMatchObject({ kind: "device", name: device.name, server: "hq" });
    expect(report.host).toBe(device.host);
    expect(report.node.prtg_url).toBe(`https://127.0.0.1/device.htm?id=${device.id}`);
    expect(report.ancestors[0]?.prtg_url).toBeNull();
    expect(report.ancestors[0]).toMatchObject({ kind: "root", id: "0", name: "hq" });
    expect(report.ancestors.at(-1)?.id).toBe(device.parent?.id);
    const statuses = sensors.filter(({ parent }) => parent?.id === device.id).map((one) => world.state(one, at).status);
    const counts = Object.fromEntries(
      Map.groupBy(statuses, (status) => status)
        .entries()
        .map(([token, all]) => [token, all.length]),
    );
    expect(report.node.sensors_by_status).toEqual(counts);
  });

  test("shows a sensor with values, units and the lines of the page", async () => {
    const sensor = named(0);
    const { sensor: shown } = await node(sensor.id);
    expect(shown?.channels.map(({ channel_id, name, unit }) => [channel_id, name, unit])).toEqual(
      sensor.channels.map((each) => [String(each.number), each.name, each.displayUnit]),
    );
    for (const channel of shown?.channels ?? []) {
      const simulated = sensor.channels.find(({ number }) => String(number) === channel.channel_id);
      if (simulated === undefined) throw new Error("no such channel");
      expect(channel.value).toBe(servedValue(world, simulated, at) ?? null);
    }
    const lines = page.split("\n").filter((line) => line.includes(`sensor_id="${sensor.id}"`));
    const given = [...(shown?.series ?? []), ...(shown?.channels.flatMap(({ series }) => series) ?? [])];
    expect(given.toSorted()).toEqual(lines.toSorted());
    expect(given.length).toBeGreaterThan(5);
  });

  test("names the neighbours of a sensor on its device", async () => {
    const device = world.list("device").find(({ children }) => children.length > 2);
    const { children } = await node(device?.id ?? "");
    const own = children.items.filter(({ kind }) => kind === "sensor");
    const siblings = await Promise.all(own.map(async ({ id }) => (await node(id)).sensor?.siblings));
    expect(siblings.map((each) => [each?.previous?.id, each?.position, each?.total, each?.next?.name])).toEqual(
      own.map((_, index) => [own[index - 1]?.id, index + 1, own.length, own[index + 1]?.name]),
    );
  });

  test("explains a missing value", async () => {
    const { sensor, node: own } = await node(named(3).id);
    expect(own.status).toBe("pausedbyuser");
    expect(new Set(sensor?.channels.map(({ state, value }) => `${state} ${value}`))).toEqual(new Set(["paused null"]));
  });

  test("shows for every sensor below it the status, its start and its cause", async () => {
    for (const { id } of world.list("device")) {
      for (const child of (await node(id)).children.items) {
        if (child.kind !== "sensor" || child.id === named(4).id) continue;
        const { message, since } = world.state(named(sensors.findIndex((one) => one.id === child.id)), at);
        expect([child.message, Date.parse(child.status_since ?? "")]).toEqual([
          message || null,
          Math.trunc(since / 1_000) * 1_000,
        ]);
      }
    }
    expect((await node(named(3).id)).node.message).toBe(SAID);
  });

  test("shows when a sensor was up", async () => {
    const up = sensors.find((sensor) => world.state(sensor, at).status === "up");
    const { sensor } = await node(up?.id ?? "");
    expect(Date.parse(sensor?.last_up_at ?? "")).toBeGreaterThan(at - 3_600_000);
  });

  test("splits a large object into parts", async () => {
    const busy = world.list("device").toSorted((a, b) => b.children.length - a.children.length)[0];
    const all = await node(busy?.id ?? "");
    const rest = await node(busy?.id ?? "", 2);
    expect(rest.children).toEqual({ ...all.children, from: 2, items: all.children.items.slice(2) });
    expect((await node(busy?.id ?? "", 1_000_000)).children.items).toHaveLength(1);
  });

  test.each([
    ["999999", undefined],
    ["1", "other"],
    ["constructor", undefined],
  ])("does not exist: %s of %s", async (id, server) => {
    expect(await running.exporter.status.node({ id, server, from: 0 })).toBeUndefined();
  });
});

describe("search", () => {
  test("finds words in any case, the best match first", async () => {
    const { total, items } = await search("UPLINK of tests");
    expect([total, items.map(({ id }) => id)]).toEqual([2, [named(0).id, named(1).id]]);
    expect((await search("uplink of the tests")).items[0]?.id).toBe(named(0).id);
    expect((await search("the uplink of the tests")).items[0]?.id).toBe(named(1).id);
  });

  test("lists objects with that name before objects below them", async () => {
    const [device, last] = [named(0).parent, named(sensors.length - 1)];
    const { items } = await search("rankword");
    expect(items.slice(0, 2).map(({ id }) => id)).toEqual([device?.id, last.id]);
    expect(items.slice(2).map(({ id }) => id)).toEqual(device?.children.map(({ id }) => id));
  });

  test("finds by id, host and tag", async () => {
    expect((await search(named(5).id)).items[0]?.id).toBe(named(5).id);
    const device = world.list("device").find(({ host }) => host !== undefined && host !== "127.0.0.1");
    expect((await search(device?.host ?? "")).items.map(({ id }) => id)).toContain(device?.id);
    const [tag = ""] = sensors.find(({ tags }) => tags.length > 0)?.tags ?? [];
    const tagged = sensors.filter(({ tags }) => tags.includes(tag));
    expect((await search(tag)).total).toBeGreaterThanOrEqual(tagged.length);
  });

  test("finds the sensors in a status", async () => {
    for (const [status, count] of statusCounts(world, at)) {
      const found = await search("", { statuses: [status] });
      expect([status, found.total]).toEqual([status, count]);
      expect(new Set(found.items.map((item) => `${item.kind} ${item.status}`))).toEqual(new Set([`sensor ${status}`]));
    }
  });

  test("finds only objects that match all filters", async () => {
    const wanted = sensors.filter(({ priority, tags }) => priority === 3 && tags.length > 0);
    const [tag = ""] = wanted[0]?.tags ?? [];
    const found = await search("", { priorities: [3], tag: tag.toUpperCase() });
    expect(found.total).toBeGreaterThan(0);
    expect(new Set(found.items.map(({ priority }) => priority))).toEqual(new Set([3]));
    const all = await search("", { tag });
    expect(all.total).toBeGreaterThanOrEqual(found.total);
    const [probe] = world.list("probe");
    const below = await search("", { probe: probe?.name.slice(1).toUpperCase() ?? "" });
    expect(below.items.every(({ path }) => path.startsWith(probe?.name ?? "?"))).toBe(true);
    expect((await search("", { probe: "no such probe" })).total).toBe(0);
  });

  test("has every object once on its pages, in any order", async () => {
    const total = [...objectCounts(world)].reduce((sum, [kind, count]) => sum + (kind === "channel" ? 0 : count), 0);
    for (const key of SORT_KEYS) {
      const seen = new Set<string>();
      const pages = Math.ceil(total / 50);
      for (let page = 1; page <= pages; page++) {
        const report = await search("", { page, sort: { key, isDescending: true } });
        expect(report.page).toEqual({ number: page, pages, from: (page - 1) * 50 });
        for (const { id } of report.items) seen.add(id);
      }
      expect(seen.size).toBe(total);
    }
    expect((await search("", { page: 999 })).page.number).toBe(Math.ceil(total / 50));
  });

  test("sorts by names with numbers, and by times with unknown ones last", async () => {
    const names = async (isDescending: boolean) =>
      (await search("", { sort: { key: "name", isDescending } })).items.map(({ name }) => name);
    const collator = new Intl.Collator("en", { numeric: true });
    expect(await names(false)).toEqual((await names(false)).toSorted(collator.compare));
    expect((await names(true))[0]).not.toBe((await names(false))[0]);
    for (const isDescending of [false, true]) {
      const { items } = await search("", { sort: { key: "since", isDescending } });
      const times = items.map(({ status_since }) => Date.parse(status_since ?? "") * (isDescending ? -1 : 1));
      expect(times).toEqual(times.toSorted((a, b) => a - b));
      expect(times.every(Number.isFinite)).toBe(true);
    }
  });

  test("shows problems first", async () => {
    const { items } = await search("");
    const places = items.map(({ status }) => Math.min(PROBLEM_STATUSES.length, placeOfStatus(status ?? undefined)));
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(places[0]).toBeLessThan(PROBLEM_STATUSES.length);
    expect((await search(named(7).id)).items[0]?.id).toBe(named(7).id);
  });

  test("refuses unknown servers and statuses", async () => {
    await expect(search("", { server: "other" })).rejects.toMatchObject({ known: ["hq"] });
    await expect(search("", { statuses: ["dwn"] })).rejects.toMatchObject({
      message: 'unknown status "dwn"',
      known: STATUS_TOKENS,
    });
    expect((await search("", { statuses: ["PAUSED_BY_USER"] })).total).toBeGreaterThan(0);
  });
});

test("pages redact secrets in names", async () => {
  const redactor = new Redactor();
  redactor.add(TEST_KEY);
  const exporter = new Exporter(running.config, { ...testContext(running.clock), redactor });
  try {
    await exporter.pollOnce(AbortSignal.timeout(20_000));
    const question = { server: undefined, id: named(2).id, from: 0 };
    expect((await exporter.status.node(question))?.node.name).toBe("with [redacted]");
    const found = await exporter.status.search({ ...ANY_SEARCH, text: "with" });
    expect(found.items.map(({ name }) => name)).toContain("with [redacted]");
    const paused = await exporter.status.node({ ...question, id: named(4).id });
    expect(paused?.node.message).toBe("key [redacted]");
    for (const report of [await exporter.status.node(question), found, paused]) {
      expect(JSON.stringify(report)).not.toContain(TEST_KEY);
    }
  } finally {
    await exporter.stop();
  }
});

test("pages show pushed data and the receiver without credentials", async () => {
  const receiver = await startReceiver();
  const small = await startSimulatedExporter({ size: { sensors: 20 } });
  const context = testContext(small.clock);
  const endpoint = receiver.url.replace("//", "//user:password-of-the-receiver@");
  const push = await openOtlpPush(small.config, context, { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint });
  const exporter = new Exporter(small.config, context, push);
  try {
    await exporter.start();
    await receiver.until(1);
    const delivered = async () =>
      StatusReport.parse(await exporter.status.status()).servers[0]?.measurements?.delivered;
    await vi.waitFor(async () => expect(await delivered()).toBeGreaterThan(0), 30_000);
    const report = StatusReport.parse(await exporter.status.status());
    expect(report.otlp).toMatchObject({
      endpoint: `${receiver.url}/v1/metrics`,
      protocol: "http/protobuf",
      failed_requests: 0,
      refused_requests: 0,
    });
    expect(report.servers[0]?.measurements).toMatchObject({ rejected: 0, failed_deliveries: 0, dropped: 0 });
    expect(report.totals.measurements).toEqual(report.servers[0]?.measurements);
    expect(JSON.stringify(report)).not.toContain("password-of-the-receiver");
  } finally {
    await exporter.stop();
    await small.close();
  }
});

test("pages send no request to the server", async () => {
  const requests = () => running.simulator.requests.count({});
  const before = requests();
  await running.exporter.status.status();
  await node(named(0).id);
  await search("a");
  expect(requests()).toBe(before);
});

const SECRET = 'hunter2"\\';

async function pages(at = smallServer()) {
  const { server, monitor, store, clock } = memoryPipeline(at);
  server.change("50", {
    ...{ name: `Uplink ${SECRET}`, tags: [SECRET], message: `Timeout <b>\u001b[31m of ${SECRET}` },
    ...{ statusSince: 1_773_334_931_000, lastUp: 1_773_334_871_250 },
  });
  await monitor.pollOnce(never);
  const redactor = new Redactor();
  redactor.add(SECRET);
  let counted = 0;
  const counting = {
    isLeftOut: (id: string) => id === "77",
    runs: () => [],
    view: {
      state: monitor.view.state,
      inspect: monitor.view.inspect.bind(monitor.view),
      present: monitor.view.present.bind(monitor.view),
      channels: () => {
        counted++;
        return monitor.view.channels();
      },
    },
  };
  const monitors = new Map([["hq", counting]]);
  const debug = createDebugPages(() => ({ store, mapper: plainMapper(), clock, monitors }), redactor);
  const withText = (page: DebugPage) => async (query: URLSearchParams) => {
    const report = await page(query);
    return { ...report, text: debugText(report) };
  };
  return {
    explain: withText(debug.explain),
    cardinality: withText(debug.cardinality),
    store,
    counted: () => counted,
  };
}

describe("pages below /debug", () => {
  test.each(["explain", "cardinality"] as const)("%s shows no secrets, in any form", async (name) => {
    const { text, json, sections, status } = await (await pages())[name](new URLSearchParams({ object: "50" }));
    expect(status).toBe(200);
    for (const shown of [text, JSON.stringify(json), JSON.stringify(sections)]) {
      expect(shown).not.toContain("hunter2");
      expect(shown).toContain("Uplink [redacted]");
    }
  });

  test("explain a sensor and its status on the server", async () => {
    const { text, json } = await (await pages()).explain(new URLSearchParams({ object: "50" }));
    expect(text).toContain("  message         Timeout <b> [31m of [redacted]\n");
    expect(text).toContain("  status since    2026-03-12T17:02:11.000Z\n");
    expect(text).toContain("  last up         2026-03-12T17:01:11.250Z\n  last down\n");
    const times = { status_since: "2026-03-12T17:02:11.000Z", last_up: "2026-03-12T17:01:11.250Z" };
    expect(json).toMatchObject({
      objects: [{ sensor: { message: expect.stringContaining("Timeout <b>"), ...times } }],
    });
  });

  test("visit only the series of the sensor that they explain", async () => {
    const { explain, store } = await pages();
    const visited: string[] = [];
    const all = [...store.tables].reduce((sum, { size }) => sum + size, 0);
    const looks = vi.spyOn(SeriesTable.prototype, "expiresAt").mockImplementation(function (this: SeriesTable, slot) {
      visited.push(this.label(slot, this.family.labels.indexOf("sensor_id")));
      return Number.POSITIVE_INFINITY;
    });
    try {
      await explain(new URLSearchParams({ object: "50" }));
    } finally {
      looks.mockRestore();
    }
    expect(new Set(visited)).toEqual(new Set(["50"]));
    expect(visited.length).toBeLessThan(all);
  });

  test("do not repeat a secret of the request", async () => {
    const { text, json } = await (await pages()).explain(new URLSearchParams({ object: SECRET }));
    expect(text + JSON.stringify(json)).not.toContain("hunter2");
  });

  test("report that an object is not selected", async () => {
    const { status, text } = await (await pages()).explain(new URLSearchParams({ object: "77" }));
    expect(status).toBe(404);
    expect(text).toContain("77 is not selected");
  });

  test("explain a sensor of many channels in parts", async () => {
    const server = smallServer();
    const ids = Array.from({ length: 1_000 }, (_, index) => String(index));
    server.channelRecords = ids.map((id) => channel(`50.${id}`));
    const { explain } = await pages(server);
    const shown = async (query: Record<string, string>) => {
      const { text, json } = await explain(new URLSearchParams(query));
      const report = z.object({
        objects: z.array(z.looseObject({ channels: z.array(z.looseObject({ channel_id: z.string() })) })),
      });
      const { channels, ...about } = report.parse(json).objects[0] ?? { channels: [] };
      return { text, about, ids: channels.map(({ channel_id }) => channel_id) };
    };
    const first = await shown({ object: "50" });
    expect(first.ids).toEqual(ids.slice(0, 200));
    expect(first.about).toMatchObject({ channels_total: 1_000, channels_from: 0 });
    expect(first.text).toContain("\nchannels 1 to 200 of 1000 (&from=N skips the first N)\n");
    const last = await shown({ object: "50", from: "900" });
    expect(last.ids).toEqual(ids.slice(900));
    expect(last.text.length).toBeLessThan(first.text.length);
    expect((await shown({ object: "50.999" })).ids).toEqual(["999"]);
  });

  test("count once for concurrent readers, and again for later ones", async () => {
    const { cardinality, counted } = await pages();
    const [first, second] = await Promise.all([1, 2].map(() => cardinality(new URLSearchParams())));
    expect([second, counted()]).toEqual([first, 1]);
    await cardinality(new URLSearchParams());
    expect(counted()).toBe(2);
  });

  test("count series per probe, and those of objects and servers that are gone", async () => {
    const { cardinality, store } = await pages();
    const read = async () => {
      const { json } = await cardinality(new URLSearchParams());
      return z.object({ series: z.int(), probes: z.array(z.unknown()), series_of_no_probe: z.int() }).parse(json);
    };
    const before = await read();
    const ofProbe = before.series - before.series_of_no_probe;
    expect(ofProbe).toBeGreaterThan(10);
    expect(before.probes).toEqual([{ server: "hq", probe: "Berlin", series: ofProbe }]);
    const table = store.table(TREE_FAMILIES.sensorStatus);
    const { labels } = table.family;
    for (const [server, id] of [
      ["hq", "99"],
      ["gone", "50"],
    ]) {
      const values: Readonly<Record<string, string | undefined>> = { server, sensor_id: id };
      table.set(table.add(labels.map((name) => values[name] ?? "")), 1);
    }
    expect(await read()).toMatchObject({ probes: before.probes, series_of_no_probe: before.series_of_no_probe + 2 });
  });

  test("list channels without rules", async () => {
    const { cardinality } = await pages();
    const { text, json } = await cardinality(new URLSearchParams());
    expect(text).toContain(
      "no rules are configured, so no channel has a mapped metric: 3\n\nunit  why        channels",
    );
    expect(json).toMatchObject({
      unmapped: {
        rules_configured: false,
        channels: 3,
        units: { total: 1, most: [{ name: "%", outcome: "unmatched", channels: 3, example: { object: "50.0" } }] },
      },
    });
  });
});
