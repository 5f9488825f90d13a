import { describe, expect, test } from "vitest";
import { describeError } from "../../../src/errors/exporter-error.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { never } from "../../support/never-aborted.ts";
import { type SeenRequest, sendError, sendJson, startApiServer } from "../support/api-server.ts";
import { rejection, testClient } from "../support/test-client.ts";

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

async function pickyServer(refuses: (request: SeenRequest) => boolean, status = 400) {
  const state = { refuses, version: "25.1", healthy: true };
  const clock = new ManualClock();
  const server = await startApiServer((request, response) => {
    // Server in manual time.
    response.setHeader("date", new Date(clock.now()).toUTCString());
    if (request.path === "/health") return response.writeHead(state.healthy ? 204 : 403).end();
    if (request.path === "/version") return sendJson(response, { version: state.version });
    if (state.refuses(request)) return sendError(response, status, status === 403 ? "FORBIDDEN" : "BAD_REQUEST");
    return sendJson(response, [{ id: "2490", name: "Uplink" }]);
  });
  const client = testClient(server.url, { clock });
  /** List queries since the last call. */
  let seen = 0;
  const asked = (): string[] => {
    const urls = server.requests.slice(seen).map(({ url }) => url.replace("/experimental", ""));
    seen = server.requests.length;
    return urls;
  };
  return { ...client, state, clock, server, asked };
}

const includes =
  (section: string) =>
  ({ query }: SeenRequest): boolean =>
    query.get("include")?.split(",").includes(section) === true;

describe("section that the server refuses to include", () => {
  test("costs only that section, and later requests omit it", async () => {
    const { api, asked, logged } = await pickyServer(includes("alerting"));
    const list = await api.channels({ sections: new Set(["alerting", "values"]) }, never);
    expect(list).toMatchObject({ complete: true, refused: ["alerting"] });
    expect(asked()).toEqual([
      "/channels?limit=3000&offset=0&include=alerting,values",
      "/channels?limit=1&offset=0",
      "/channels?limit=1&offset=0&include=alerting",
      "/channels?limit=1&offset=0&include=values",
      "/channels?limit=3000&offset=0&include=values",
    ]);
    await api.channels({ sections: new Set(["alerting", "values"]) }, never);
    expect(asked()).toEqual(["/channels?limit=3000&offset=0&include=values"]);
    const lines = logged().filter(
      ({ msg }) => msg === "the server refuses this parameter: reading the list without it",
    );
    expect(lines).toMatchObject([{ endpoint: "/experimental/channels", parameter: "include", value: "alerting" }]);
  });

  test("affects a single list", async () => {
    const { api, asked } = await pickyServer(
      (request) => request.path === "/experimental/sensors" && includes("intervalgroup")(request),
    );
    expect((await api.nodes("sensor", { sections: new Set(["intervalgroup"]) }, never)).refused).toEqual([
      "intervalgroup",
    ]);
    asked();
    expect(await api.nodes("device", { sections: new Set(["intervalgroup"]) }, never)).not.toHaveProperty("refused");
    expect(asked()).toEqual(["/devices?limit=3000&offset=0&include=intervalgroup"]);
  });

  test.each([
    { sections: "each, but not together", refuses: (all: string[]) => all.length > 1, left: ["intervalgroup"] },
    { sections: "any", refuses: (all: string[]) => all.length > 0, left: [] },
  ])("includes combinations: $sections", async ({ refuses, left }) => {
    const { api, asked } = await pickyServer(({ query }) => refuses(query.get("include")?.split(",") ?? []));
    await api.nodes("device", { sections: new Set(["intervalgroup", "sensor_status_summary"]) }, never);
    asked();
    await api.nodes("device", { sections: new Set(["intervalgroup", "sensor_status_summary"]) }, never);
    const include = left.length === 0 ? "" : `&include=${left.join(",")}`;
    expect(asked()).toEqual([`/devices?limit=3000&offset=0${include}`]);
  });

  test("is omitted after a 403 for missing rights", async () => {
    const { api } = await pickyServer(includes("alerting"), 403);
    expect((await api.channels({ sections: new Set(["alerting"]) }, never)).refused).toEqual(["alerting"]);
  });

  test("gets a retry after a minute, then more rarely, at least once a day", async () => {
    const { api, asked, clock, logged } = await pickyServer(includes("alerting"));
    const asksFor = async (): Promise<boolean> => {
      await api.channels({ sections: new Set(["alerting"]) }, never);
      return asked().some((url) => url.includes("alerting"));
    };
    expect(await asksFor()).toBe(true);
    for (let hold = MINUTE; hold < 2 * DAY; hold *= 2) {
      await clock.advance(Math.min(hold, DAY) - 1);
      expect(await asksFor()).toBe(false);
      await clock.advance(1);
      expect(await asksFor()).toBe(true);
    }
    expect(logged().filter(({ level }) => level === 40)).toHaveLength(1);
  });

  test.each(["another version", "a failure of the server"])("gets a retry after %s", async (what) => {
    const { api, asked, state } = await pickyServer(includes("alerting"));
    await api.version(never);
    await api.channels({ sections: new Set(["alerting"]) }, never);
    state.refuses = () => false;
    await api.version(never);
    await api.health(never);
    asked();
    expect(await api.channels({ sections: new Set(["alerting"]) }, never)).toHaveProperty("refused");
    if (what === "another version") {
      state.version = "26.1";
      await api.version(never);
    } else {
      state.healthy = false;
      await rejection(api.health(never));
      state.healthy = true;
      await api.health(never);
    }
    expect(await api.channels({ sections: new Set(["alerting"]) }, never)).not.toHaveProperty("refused");
  });

  test("does not hide a refused list", async () => {
    const { api, asked } = await pickyServer(() => true);
    const error = await rejection(api.nodes("sensor", { sections: new Set(["intervalgroup"]) }, never));
    expect(error).toMatchObject({ code: "API_BAD_REQUEST", endpoint: "/experimental/sensors" });
    expect(describeError(error)).toContain("HTTP 400 BAD_REQUEST: it did not work");
    expect(asked()).toHaveLength(2);
    // Nothing learned about the section.
    await rejection(api.nodes("sensor", { sections: new Set(["intervalgroup"]) }, never));
    expect(asked()[0]).toBe("/sensors?limit=3000&offset=0&include=intervalgroup");
  });

  test("differs from another failure on the way", async () => {
    let requests = 0;
    const { api, server } = await pickyServer(() => false);
    server.handle((_request, response) =>
      ++requests === 1 ? sendError(response, 400, "BAD_REQUEST") : sendError(response, 404, "NOT_FOUND"),
    );
    expect(await rejection(api.nodes("sensor", { sections: new Set(["intervalgroup"]) }, never))).toMatchObject({
      code: "API_ENDPOINT_MISSING",
    });
  });
});

describe("page size that the server refuses", () => {
  test("becomes smaller from then on", async () => {
    const { api, asked } = await pickyServer(({ query }) => Number(query.get("limit")) > 500);
    await api.nodes("sensor", { sections: new Set(["intervalgroup"]) }, never);
    expect(asked().at(-1)).toBe("/sensors?limit=300&offset=0&include=intervalgroup");
    for (let times = 0; times < 10; times++) await api.nodes("sensor", { sections: new Set(["intervalgroup"]) }, never);
    expect(new Set(asked())).toEqual(new Set(["/sensors?limit=300&offset=0&include=intervalgroup"]));
  });

  test("fails the list each time if the server refuses all sizes except one", async () => {
    const { api, asked } = await pickyServer(({ query }) => Number(query.get("limit")) > 1);
    for (let times = 0; times < 2; times++) {
      expect(await rejection(api.nodes("sensor", {}, never))).toMatchObject({ code: "API_BAD_REQUEST" });
      expect(asked()[0]).toBe("/sensors?limit=3000&offset=0");
    }
  });
});

describe("empty list", () => {
  test.each([
    { as: "null", status: 200, body: "null" },
    { as: "null after a mark", status: 200, body: "\uFEFF null\n" },
    { as: "no content", status: 204, body: "" },
    { as: "no bytes", status: 200, body: "" },
  ])("can come as $as if the total agrees", async ({ status, body }) => {
    const total = { value: "0" };
    const server = await startApiServer((_request, response) => {
      response.writeHead(status, { "content-type": "application/json", "x-total-count": total.value });
      response.end(body);
    });
    const read = () => testClient(server.url).api.nodes("sensor", {}, never);
    expect(await read()).toEqual({ items: [], complete: true, skipped: 0 });
    // A bad total must not remove all objects.
    for (const value of ["3", "", "-1", "none"]) {
      total.value = value;
      expect(await rejection(read()), value).toMatchObject({ code: "API_NOT_JSON" });
    }
  });

  test.each(["{}", '{"items":[],"total":0}', '""', "0", "false"])("cannot come as %s", async (body) => {
    const server = await startApiServer((_request, response) => {
      response.writeHead(200, { "content-type": "application/json", "x-total-count": "0" });
      response.end(body);
    });
    const error = await rejection(testClient(server.url).api.nodes("sensor", {}, never));
    expect(error.message).toContain("an answer that is not a list");
  });
});
