import { describe, expect, test } from "vitest";
import { MemoryBudget } from "../../../src/lib/memory-budget.ts";
import { ListQuotas } from "../../../src/prtg/paging/list-quota.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { never } from "../../support/never-aborted.ts";
import { sendJson, startApiServer } from "../support/api-server.ts";
import { rejection, testClient } from "../support/test-client.ts";

const channel = (number: number, name = `channel ${number}`) => ({ id: `1.${number}`, name });

/** New objects, no total. */
async function endlessServer(perPage: (limit: number) => number, name?: string) {
  return startApiServer(({ query }, response) => {
    const [offset, limit] = [Number(query.get("offset")), Number(query.get("limit"))];
    const list = Array.from({ length: perPage(limit) }, (_, at) => channel(offset + at, name));
    const link = '<https://x/>; rel="next"';
    response.writeHead(200, { "content-type": "application/json", link }).end(JSON.stringify(list));
  });
}

const LIMITS = { maxResponseBytes: 100_000_000, maxObjects: 10_000, maxTextSize: 1_000_000, maxTextLength: 100 };

describe("endless list", () => {
  test.each([
    {
      what: "full pages",
      perPage: (limit: number) => limit,
      says: "more than 10000 (limits.max_objects)",
      requests: 4,
    },
    { what: "all at once", perPage: () => 20_000, says: "more than 10000 (limits.max_objects)", requests: 1 },
    { what: "one object a page", perPage: () => 2, says: "more than 200 pages", requests: 200 },
  ])("fails with $what", async ({ perPage, says, requests }) => {
    const server = await endlessServer(perPage);
    const { api, recorded } = testClient(server.url, { limits: LIMITS });
    const error = await rejection(api.channels({}, never));
    expect(error).toMatchObject({ code: "API_LIST_TOO_LARGE", endpoint: "/experimental/channels" });
    expect(error.message).toContain(says);
    expect(server.requests).toHaveLength(requests);
    expect(recorded.retried).toEqual([]);
    // It released its share, and the next list may be equally long.
    server.handle((_request, response) =>
      sendJson(
        response,
        Array.from({ length: 2_000 }, (_, number) => channel(number)),
      ),
    );
    expect((await api.channels({}, never)).items).toHaveLength(2_000);
  });

  test("fails because of its text", async () => {
    const name = "x".repeat(100);
    const byText = await endlessServer((limit) => limit, name);
    const text = await rejection(
      testClient(byText.url, { limits: { ...LIMITS, maxTextSize: 500_000 } }).api.channels({}, never),
    );
    expect(text).toMatchObject({ code: "API_LIST_TOO_LARGE" });
    expect(text.message).toContain("more than 500000 characters of text (limits.max_text_size)");
  });

  test("fails without memory and releases its memory", async () => {
    const server = await endlessServer((limit) => limit);
    const memory = new MemoryBudget(1_000_000);
    const { api } = testClient(server.url, { limits: LIMITS, memory });
    const error = await rejection(api.channels({}, never));
    expect(error).toMatchObject({ code: "API_MEMORY_FULL", endpoint: "/experimental/channels" });
    expect(error.message).toContain("does not fit in the 1 MB");
    expect(memory.heldBytes).toBe(0);
    const few = Array.from({ length: 1_000 }, (_, number) => channel(number));
    server.handle((_request, response) => sendJson(response, few));
    const { bytes } = await api.channels({}, never);
    expect(bytes).toBeGreaterThan(1_000 * 150);
    expect(bytes).toBeLessThan(1_000 * 200);
    expect(memory.heldBytes).toBe(0);
  });

  test("shares a limit of two longest lists with concurrent reads", () => {
    const accounts = new ListQuotas({ maxObjects: 1_000, maxTextSize: 100_000 }, new MemoryBudget());
    const open = () => {
      const account = accounts.open("/things", 100);
      for (let object = 0; object < 900; object++) account.add(1, 10);
      return account;
    };
    const [first] = [open(), open()];
    expect(open).toThrow(expect.objectContaining({ code: "API_LIST_TOO_LARGE" }));
    first.close();
    // Not closed: still holds its share.
    expect(open).toThrow("concurrent lists of this server");
  });
});

test("a list of slow pages fails after its time, without smaller pages", async () => {
  const clock = new ManualClock();
  const server = await startApiServer(async ({ query }, response) => {
    // Less than a request's timeout.
    await clock.advance(4_000);
    const offset = Number(query.get("offset"));
    const list = [channel(offset), channel(offset + 1)];
    const link = '<https://x/>; rel="next"';
    response.writeHead(200, { "content-type": "application/json", link }).end(JSON.stringify(list));
  });
  const { api, recorded } = testClient(server.url, { clock, limits: { ...LIMITS, listTimeoutMs: 60_000 } });
  const error = await rejection(api.channels({}, never));
  expect(error).toMatchObject({ code: "API_LIST_TOO_LARGE", endpoint: "/experimental/channels" });
  expect(error.message).toContain("not complete after 60 s (limits.list_timeout)");
  expect(server.requests.map(({ query }) => query.get("limit"))).toEqual(Array(15).fill("3000"));
  expect(recorded.retried).toEqual([]);
  expect(clock.pending).toEqual([]);
});

describe("single record that is too large", () => {
  test("is skipped or shortened, and counted", async () => {
    const [long, tags] = ["x".repeat(5_000), Array.from({ length: 300 }, (_, tag) => `tag${tag}`)];
    const server = await startApiServer((_request, response) =>
      sendJson(response, [
        { id: "1", name: "first" },
        { id: "2", name: "y".repeat(10_000_000) },
        {
          id: "3",
          name: long,
          kind: long,
          kind_name: long,
          parent: { id: "9", name: long },
          basic: { host: long, tags },
        },
        { id: "4".repeat(1_000), name: "an id of that length is none" },
        {
          id: "5",
          name: "last",
          status: long,
          status_since: long,
          basic: { tags: "a b" },
          intervalgroup: { interval: long },
        },
      ]),
    );
    const { api, recorded } = testClient(server.url, { limits: LIMITS });
    const list = await api.nodes("device", { sections: new Set(["intervalgroup"]) }, never);
    expect(list.items.map(({ id }) => id)).toEqual(["1", "3", "5"]);
    expect(list).toMatchObject({ complete: true, skipped: 2 });
    const cut = `${"x".repeat(99)}…`;
    expect(list.items[1]).toMatchObject({
      name: cut,
      type: cut,
      typeName: cut,
      host: cut,
      parent: { id: "9", name: cut },
    });
    expect(list.items[1]?.tags).toHaveLength(100);
    expect(list.items[2]).toMatchObject({ name: "last", status: "unknown", tags: ["a", "b"] });
    expect(recorded.problems.get("record")).toBe(2);
    expect(recorded.problems.get("text")).toBe(6);
  });

  test("has a shortened message, which counts for the text of a list", async () => {
    const sensors = (count: number, message: string) =>
      Array.from({ length: count }, (_, at) => ({ id: `${at}`, name: "Ping", status: "DOWN", message }));
    const server = await startApiServer((_request, response) =>
      sendJson(response, sensors(2, `<b onclick="x">${"\u202e!".repeat(200_000)}`)),
    );
    const { api, recorded } = testClient(server.url, { limits: LIMITS });
    const [first] = (await api.nodes("sensor", {}, never)).items;
    expect(first?.message).toBe(`<b onclick="x">${"\u202e!".repeat(42)}…`);
    expect(recorded.problems.get("text")).toBe(2);
    const small = testClient(server.url, { limits: { ...LIMITS, maxTextSize: 5_000 } });
    server.handle((_request, response) => sendJson(response, sensors(50, "x".repeat(50))));
    expect((await small.api.nodes("sensor", {}, never)).items).toHaveLength(50);
    server.handle((_request, response) => sendJson(response, sensors(50, "x".repeat(99))));
    expect(await rejection(small.api.nodes("sensor", {}, never))).toMatchObject({ code: "API_LIST_TOO_LARGE" });
  });

  test("keeps surrogate pairs complete", async () => {
    const server = await startApiServer((_request, response) => sendJson(response, [channel(1, "😀".repeat(100))]));
    const { api } = testClient(server.url, { limits: LIMITS });
    expect([...(await api.channels({}, never)).items][0]?.name).toBe(`${"😀".repeat(49)}…`);
  });

  test("takes no time for numerals and blanks of a megabyte", async () => {
    const server = await startApiServer((_request, response) =>
      sendJson(response, [
        { id: "1.1", last_measurement: { display_value: `${"1".repeat(900_000)}x`, timestamp: " ".repeat(60_000) } },
        {
          id: "1.2",
          last_measurement: { display_value: `1${" ".repeat(900_000)}x`, timestamp: "2026-01-01T00:00:00Z" },
        },
        { id: "1.3", last_measurement: { display_value: "7", timestamp: "2026-01-01T00:00:00Z" } },
      ]),
    );
    const { api, recorded } = testClient(server.url, { limits: { ...LIMITS } });
    const before = process.cpuUsage();
    expect(Array.from((await api.channels({}, never)).items, ({ value }) => value)).toEqual([undefined, undefined, 7]);
    const { user } = process.cpuUsage(before);
    expect(user / 1_000).toBeLessThan(10_000);
    expect(recorded.problems.get("value")).toBe(2);
  });
});

describe("time series", () => {
  const times = (length: number) => Array.from({ length }, (_, at) => [new Date(at * 1_000 + 1e12).toISOString(), at]);

  test("fails with more values than objects of a list", async () => {
    const server = await startApiServer((_request, response) => sendJson(response, [["time", "1.1"], ...times(4_000)]));
    const { api } = testClient(server.url, { limits: { ...LIMITS, maxObjects: 5_000 } });
    const error = await rejection(api.timeSeries("1", "live", never));
    expect(error).toMatchObject({ code: "API_LIST_TOO_LARGE" });
    server.handle((_request, response) => sendJson(response, [["time", "1.1"], ...times(2_000)]));
    expect((await api.timeSeries("1", "live", never)).rows).toHaveLength(2_000);
  });

  test("keeps nothing nested in its rows", async () => {
    const nested = { large: Array.from({ length: 1_000 }, () => []) };
    const server = await startApiServer((_request, response) =>
      sendJson(response, [["time", "1.1"], ...times(2), [new Date(2e12).toISOString(), nested], nested, ...times(2)]),
    );
    const { api, recorded } = testClient(server.url, { limits: LIMITS });
    const { rows, skipped } = await api.timeSeries("1", "live", never);
    expect(rows).toHaveLength(2);
    expect(skipped).toBe(1);
    expect(recorded.problems.get("value")).toBe(1);
  });
});

test("the number of unknown object kinds has a limit", async () => {
  const counts = Object.fromEntries(Array.from({ length: 5_000 }, (_, kind) => [`kind${kind}`, kind]));
  const server = await startApiServer((_request, response) => sendJson(response, { ...counts, sensors: 7 }));
  const read = await testClient(server.url).api.objectCounts(never);
  expect(read?.get("sensor")).toBe(7);
  expect(read?.size).toBeLessThan(60);
});
