import { describe, expect, test } from "vitest";
import { reportServer } from "../../../src/cli/report/reporter.ts";
import type { ErrorCode } from "../../../src/errors/catalogue.ts";
import { ApiError } from "../../../src/prtg/api-error.ts";
import type { ApiAnswer } from "../../../src/prtg/request/messages.ts";

interface Answer {
  readonly json?: unknown;
  readonly totalCount?: number;
  readonly hasNext?: boolean;
  readonly contentType?: string;
  readonly fails?: ErrorCode;
  readonly serverCode?: string;
}

/** By path, or by endpoint. Others: an empty list. */
async function reported(answers: Readonly<Record<string, Answer>>) {
  const asked: string[] = [];
  const ask = async (endpoint: string, path: string): Promise<ApiAnswer> => {
    asked.push(path);
    const { json = [], fails, serverCode, ...head } = answers[path] ?? answers[endpoint] ?? {};
    if (fails !== undefined) throw new ApiError(fails, `${endpoint}: no`, { endpoint, httpStatus: 400, serverCode });
    const response = { ...NO_HEADERS, body: "", bytes: 2, ...head };
    return { json, response };
  };
  const report = await reportServer({ ask, lastMs: () => 12.4 });
  return { asked, report, entry: (name: string) => report.endpoints.find(({ endpoint }) => endpoint === name) };
}

const NO_HEADERS = {
  ...{ status: 200, statusText: "OK", contentType: undefined, contentEncoding: undefined, location: undefined },
  ...{ retryAfter: undefined, requestId: undefined, totalCount: undefined, hasNext: undefined, dateMs: undefined },
};

describe("report of a server", () => {
  test.each<ErrorCode>([
    ...(["API_CONNECTION_FAILED", "API_PROXY_UNAUTHORIZED", "API_PROXY_FAILED", "API_REDIRECTED"] as const),
    ...(["API_WRONG_PORT", "API_TLS_UNTRUSTED", "API_TLS_FINGERPRINT", "API_TLS_CLIENT_REFUSED"] as const),
    ...(["API_TLS_FAILED", "API_SUSPENDED", "SECRET_UNREADABLE"] as const),
    // More attempts would lock the account.
    ...(["API_UNAUTHORIZED", "API_LOGIN_FAILED"] as const),
  ])("ends with %s, which every other request would meet, too", async (code) => {
    const { asked, report } = await reported({ "/version": { fails: code } });
    expect(asked).toEqual(["/health", "/version"]);
    expect(report).toMatchObject({ complete: false, release: null });
    expect(report.endpoints.at(-1)).toMatchObject({ endpoint: "/version", failure: code, ms: 12 });
  });

  test.each<ErrorCode>(["API_NOT_FOUND", "API_FORBIDDEN", "API_TIMEOUT", "API_SERVER_ERROR"])(
    "continues after %s of one endpoint",
    async (code) => {
      const { asked, report, entry } = await reported({ "/experimental/license": { fails: code } });
      expect(entry("/experimental/license")).toMatchObject({ status: 400, failure: code });
      expect(asked).toContain("/objects/count");
      expect(report.complete).toBe(true);
    },
  );

  test("fails with an error that is a bug", async () => {
    const bug = new TypeError("no");
    await expect(reportServer({ ask: () => Promise.reject(bug), lastMs: () => 0 })).rejects.toBe(bug);
  });

  test("names the server's own error codes only if PRTG has them", async () => {
    const { entry } = await reported({
      "/health": { fails: "API_BAD_REQUEST", serverCode: "NOT_FOUND" },
      "/version": { fails: "API_BAD_REQUEST", serverCode: "name-of-a-customer" },
    });
    expect(entry("/health")?.server_code).toBe("NOT_FOUND");
    expect(entry("/version")?.server_code).toBe("other");
  });

  test("asks for single objects with the first ids of the lists, and for a measured sensor", async () => {
    const channels = [
      { id: "50.0", last_measurement: { value: null } },
      { id: "51.-4", last_measurement: { value: 7 } },
      { id: "52.0", last_measurement: { value: 8 } },
    ];
    const { asked } = await reported({
      "/experimental/devices": { json: [{ id: "a name" }, { id: 40 }, { id: "41" }] },
      "/experimental/sensors": { json: [{ id: "50" }] },
      "/experimental/channels": { json: channels },
    });
    expect(asked).toEqual(expect.arrayContaining(["/devices/40", "/sensors/51", "/channels/51.-4"]));
    expect(asked).toContain(`/experimental/sensors?limit=500&filter=${encodeURIComponent('parentid in ["40"]')}`);
    expect(asked.filter((path) => path.startsWith("/experimental/timeseries/"))).toEqual(
      ["live", "short", "medium", "long"].map((type) => `/experimental/timeseries/51/${type}`),
    );
    // No list has a probe or a group.
    expect(asked.filter((path) => /^\/(probes|groups)\//.test(path))).toEqual([]);
  });

  test("describes an answer without its content", async () => {
    const json = [{ name: "name-of-a-customer" }];
    const { report, entry } = await reported({
      "/version": { json: { version: "25.4.116.1313", extra: "x" }, contentType: "application/json" },
      "/settings/public": { json, contentType: "text/x-odd", totalCount: 9, hasNext: true },
    });
    expect(report.release).toBe("25.4.116.1313");
    expect(entry("/version")).toMatchObject({ status: 200, content_type: "application/json", headers: [] });
    expect(entry("/settings/public")).toMatchObject({
      ...{ content_type: "other", headers: ["Link", "X-Total-Count"], total: 9, records: 1 },
    });
    expect(JSON.stringify(report)).not.toContain("customer");
  });

  test.each([
    { statuses: ["UP", "DOWN"], spelling: "live" },
    { statuses: ["SUMMED_INFO_UP"], spelling: "live" },
    { statuses: ["up"], spelling: "specification" },
    { statuses: [], spelling: null },
  ])("takes the spelling from the statuses of sensors: $statuses", async ({ statuses, spelling }) => {
    const json = statuses.map((status) => ({ id: "50", status }));
    expect((await reported({ "/experimental/sensors": { json } })).report.spelling).toBe(spelling);
  });

  test("learns sizes and the default limit from long and short lists", async () => {
    const json = Array.from({ length: 3 }, (_, id) => ({ id: `5${id}` }));
    const { report } = await reported({
      "/experimental/channels": { json, totalCount: 220 },
      "/experimental/sensors?limit=500": { json },
    });
    expect(report.default_limit).toBe(3);
    expect(report.objects).toMatchObject({ channels: 220, sensors: 3, probes: 0 });
    expect((await reported({ "/experimental/channels": { json } })).report.default_limit).toBeNull();
  });
});
