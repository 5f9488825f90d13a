import { pino } from "pino";
import { describe, expect, test } from "vitest";
import { ApiError } from "../../../src/prtg/api-error.ts";
import { EndpointFallback } from "../../../src/prtg/paging/endpoint-fallback.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { rejection } from "../support/test-client.ts";

const LISTS = [{ endpoint: "/experimental/sensors" }, { endpoint: "/sensors" }];
const HOUR = 3_600_000;

function server(): { lacks: Set<string>; asked: string[]; read: (list: { endpoint: string }) => Promise<string> } {
  const lacks = new Set<string>();
  const asked: string[] = [];
  return {
    lacks,
    asked,
    read: async ({ endpoint }) => {
      asked.push(endpoint);
      if (lacks.has(endpoint))
        throw new ApiError("API_NOT_FOUND", "HTTP 404", { endpoint, httpStatus: 404, requestId: "r" });
      return endpoint;
    },
  };
}

function fallbackOf(clock = new ManualClock()): EndpointFallback {
  return new EndpointFallback(clock, pino({ level: "silent" }));
}

describe("EndpointFallback", () => {
  test("uses the preferred endpoint first", async () => {
    const { read, asked } = server();
    expect(await fallbackOf().readFirst(LISTS, read)).toBe("/experimental/sensors");
    expect(asked).toEqual(["/experimental/sensors"]);
  });

  test("retries a missing endpoint after an hour", async () => {
    const clock = new ManualClock();
    const memory = fallbackOf(clock);
    const { read, asked, lacks } = server();
    lacks.add("/experimental/sensors");
    expect(await memory.readFirst(LISTS, read)).toBe("/sensors");
    await clock.advance(HOUR - 1);
    expect(await memory.readFirst(LISTS, read)).toBe("/sensors");
    expect(asked).toEqual(["/experimental/sensors", "/sensors", "/sensors"]);
    lacks.clear();
    await clock.advance(1);
    expect(await memory.readFirst(LISTS, read)).toBe("/experimental/sensors");
  });

  test("retries a missing endpoint after a reset", async () => {
    const memory = fallbackOf();
    const { read, lacks } = server();
    lacks.add("/experimental/sensors");
    await memory.readFirst(LISTS, read);
    lacks.clear();
    expect(await memory.readFirst(LISTS, read)).toBe("/sensors");
    memory.forget();
    expect(await memory.readFirst(LISTS, read)).toBe("/experimental/sensors");
  });

  test("names all missing endpoints and retries all next time", async () => {
    const memory = fallbackOf();
    const { read, asked, lacks } = server();
    for (const { endpoint } of LISTS) lacks.add(endpoint);
    const error = await rejection(memory.readFirst(LISTS, read));
    expect(error).toMatchObject({
      code: "API_ENDPOINT_MISSING",
      httpStatus: 404,
      requestId: "r",
      endpoint: "/experimental/sensors",
    });
    expect(error.message).toBe("the server has no /experimental/sensors and no /sensors");
    lacks.clear();
    expect(await memory.readFirst(LISTS, read)).toBe("/experimental/sensors");
    expect(asked).toHaveLength(3);
  });

  test("returns to the preferred endpoint if the fallback disappears", async () => {
    const memory = fallbackOf();
    const { read, lacks } = server();
    lacks.add("/experimental/sensors");
    await memory.readFirst(LISTS, read);
    lacks.clear();
    lacks.add("/sensors");
    expect(await rejection(memory.readFirst(LISTS, read))).toMatchObject({ code: "API_ENDPOINT_MISSING" });
    expect(await memory.readFirst(LISTS, read)).toBe("/experimental/sensors");
  });

  test("ignores other failures", async () => {
    const failure = new ApiError("API_UNAVAILABLE", "HTTP 503", { endpoint: "/experimental/sensors" });
    expect(await rejection(fallbackOf().readFirst(LISTS, () => Promise.reject(failure)))).toBe(failure);
  });
});
