import { describe, expect, test } from "vitest";
import { METRIC_ENCODINGS } from "../../src/otlp/encoding.ts";
import type { OtlpProtocol } from "../../src/otlp/environment.ts";
import { type HttpAnswer, parseExportResponse, type RequestOutcome } from "../../src/otlp/export-response.ts";

const NOW = Date.UTC(2026, 0, 15, 12);

function answer(status: number, rest: Partial<HttpAnswer> = {}): HttpAnswer {
  return { status, contentType: undefined, retryAfter: undefined, body: new Uint8Array(), ...rest };
}

/** Answer to a request of ten points. */
function parse(given: HttpAnswer, protocol: OtlpProtocol): RequestOutcome {
  return parseExportResponse(given, { protocol, encodings: METRIC_ENCODINGS, count: 10 }, NOW);
}

const json = (value: unknown): Partial<HttpAnswer> => ({
  contentType: "application/json",
  body: Buffer.from(JSON.stringify(value)),
});

describe("result of a request", () => {
  test.each([
    [200, "accepted"],
    [202, "accepted"],
    [204, "accepted"],
    [302, "failed"],
    [400, "refused"],
    [401, "failed"],
    [403, "failed"],
    [404, "failed"],
    [405, "failed"],
    [407, "failed"],
    [408, "failed"],
    [413, "too large"],
    [415, "refused"],
    [422, "refused"],
    [429, "failed"],
    [423, "failed"],
    [500, "failed"],
    [501, "failed"],
    [505, "failed"],
    [507, "failed"],
    [520, "failed"],
    [599, "failed"],
    [502, "failed"],
    [503, "failed"],
    [504, "failed"],
  ])("HTTP %i: %s", (status, kind) => {
    expect(parse(answer(status), "http/protobuf").kind).toBe(kind);
  });

  test.each([
    ["http: request body too large", "too large"],
    ["too big data size exceeding -opentelemetry.maxRequestSize=67108864 bytes", "too large"],
    ["grpc: received message larger than max (5000000 vs. 4194304)", "too large"],
    ["request message size of 200000 bytes exceeds the limit", "too large"],
    ["the label value is too long", "refused"],
    ["out of order sample", "refused"],
    ["limit of series exceeded", "refused"],
  ])("HTTP 400 %s: %s", (body, kind) => {
    const given = answer(400, { contentType: "text/plain", body: Buffer.from(body) });
    expect(parse(given, "http/protobuf").kind).toBe(kind);
  });

  test("a web page is no acknowledgement", () => {
    const page = answer(200, { contentType: "text/html", body: Buffer.from("<h1>Log in</h1>") });
    expect(parse(page, "http/json")).toMatchObject({
      kind: "failed",
      message: expect.stringContaining("not an OTLP receiver"),
    });
  });

  test("a redirect fails with a message", () => {
    expect(parse(answer(302), "http/json")).toMatchObject({
      message: "HTTP 302 Found: the exporter does not follow redirects",
    });
  });

  test.each([401, 408, 429, 500, 502, 503, 504, 507])("HTTP %i passes the pause on", (status) => {
    const outcome = parse(answer(status, { retryAfter: "30" }), "http/json");
    expect(outcome).toMatchObject({ kind: "failed", retryAfterMs: 30_000 });
  });
});

describe("partial success", () => {
  test.each([
    ["as a number", { partialSuccess: { rejectedDataPoints: 3, errorMessage: "too old" } }, 3, "too old"],
    ["as a text", { partialSuccess: { rejectedDataPoints: "3" } }, 3, ""],
    ["more than was sent", { partialSuccess: { rejectedDataPoints: 99 } }, 10, ""],
    ["a warning only", { partialSuccess: { errorMessage: "deprecated" } }, 0, "deprecated"],
    ["negative", { partialSuccess: { rejectedDataPoints: -3 } }, 0, ""],
    ["no number", { partialSuccess: { rejectedDataPoints: "many" } }, 0, ""],
    ["null", { partialSuccess: null }, 0, ""],
    ["empty", {}, 0, ""],
    ["no object", null, 0, ""],
    ["a list", [], 0, ""],
  ])("is read from the answer (%s) in JSON", (_, body, rejected, message) => {
    const outcome = parse(answer(200, json(body)), "http/json");
    expect(outcome).toEqual({ kind: "accepted", rejected, message });
  });

  test.each([
    ["both", [10, 5, 8, 3, 18, 1, 0x78], 3, "x"],
    ["empty", [], 0, ""],
    ["unknown fields", [16, 1, 10, 4, 8, 3, 24, 1], 3, ""],
    ["cut off", [10, 200], 0, ""],
    ["no protobuf at all", [...Buffer.from("OK")], 0, ""],
  ])("is read from the answer (%s) in protobuf", (_, body, rejected, message) => {
    const success = answer(200, { contentType: "application/x-protobuf", body: Uint8Array.from(body) });
    expect(parse(success, "http/protobuf")).toEqual({
      kind: "accepted",
      rejected,
      message,
    });
  });

  test("uses the content type of the answer instead of the request", () => {
    const success = answer(200, json({ partialSuccess: { rejectedDataPoints: 3 } }));
    expect(parse(success, "http/protobuf")).toMatchObject({ rejected: 3 });
  });

  test("ignores invalid JSON", () => {
    const success = answer(200, { contentType: "application/json", body: Buffer.from("{") });
    expect(parse(success, "http/json")).toMatchObject({ kind: "accepted", rejected: 0 });
  });
});

describe("reason for a rejection", () => {
  const status = (text: string) => {
    const bytes = Buffer.from(text);
    // code = 3, message = text, details = an empty message
    const length = bytes.length < 128 ? [bytes.length] : [(bytes.length & 127) | 128, bytes.length >> 7];
    return Uint8Array.from([8, 3, 18, ...length, ...bytes, 26, 0]);
  };
  test.each<[string, Partial<HttpAnswer>, string]>([
    ["JSON", json({ code: 3, message: "no metrics" }), ": no metrics"],
    ["JSON without one", json({ error: "x" }), ""],
    ["broken JSON", { contentType: "application/json", body: Buffer.from("{") }, ""],
    ["protobuf", { contentType: "application/x-protobuf", body: status("no metrics") }, ": no metrics"],
    ["bytes", { contentType: "application/octet-stream", body: status("too old") }, ": too old"],
    ["invalid bytes", { contentType: "application/octet-stream", body: Buffer.from("too old") }, ""],
    ["long protobuf", { contentType: "application/x-protobuf", body: status("x".repeat(200)) }, `: ${"x".repeat(200)}`],
    ["endless protobuf", { contentType: "application/x-protobuf", body: new Uint8Array(20_000) }, ""],
    ["broken protobuf", { contentType: "application/x-protobuf", body: Uint8Array.from([18, 200]) }, ""],
    ["text", { contentType: "text/plain", body: Buffer.from(" two\n\u001b[31m lines ") }, ": two [31m lines"],
    ["a page", { contentType: "text/html", body: Buffer.from("<html>") }, ""],
    ["nothing", {}, ""],
  ])("comes from %s", (_, rest, reason) => {
    expect(parse(answer(400, rest), "http/json")).toEqual({
      kind: "refused",
      message: `HTTP 400 Bad Request${reason}`,
    });
  });

  test("is short", () => {
    const long = { contentType: "text/plain", body: Buffer.from("\u{1f600}".repeat(5_000)) };
    const { message } = parse(answer(400, long), "http/json");
    expect(message.length).toBeLessThan(400);
    expect(message.isWellFormed()).toBe(true);
  });
});
