import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { negotiateEncoding, negotiateFormat } from "../../src/exposition/negotiate.ts";

const TEXT = "text/plain; version=0.0.4; charset=utf-8";
const PROMETHEUS_3 =
  "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,application/openmetrics-text;version=0.0.1;q=0.5,text/plain;version=1.0.0;escaping=allow-utf-8;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2";
const PROMETHEUS_2 =
  "application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1";

describe("negotiateFormat", () => {
  test.each([
    [undefined, TEXT],
    ["", TEXT],
    ["*/*", TEXT],
    ["text/*", TEXT],
    ["text/plain", TEXT],
    ["text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", TEXT],
    ["application/json", TEXT],
    ["text/plain;version=0.0.4;charset=utf-8", TEXT],
    ["text/plain;version=9.9.9", TEXT],
    ["text/plain;version=1.0.0;escaping=underscores", "text/plain; version=1.0.0; charset=utf-8; escaping=underscores"],
    ["text/plain; version=1.0.0; escaping=dots", "text/plain; version=1.0.0; charset=utf-8; escaping=dots"],
    ["text/plain;version=1.0.0;escaping=nonsense", TEXT],
    ["application/openmetrics-text", "application/openmetrics-text; version=1.0.0; charset=utf-8"],
    ["application/openmetrics-text;version=1.0.0", "application/openmetrics-text; version=1.0.0; charset=utf-8"],
    ["application/openmetrics-text;version=0.0.1", "application/openmetrics-text; version=0.0.1; charset=utf-8"],
    ["application/openmetrics-text;version=2.0.0,text/plain;q=0.1", TEXT],
    ["application/openmetrics-text;q=0,text/plain", TEXT],
    ["application/openmetrics-text;version=1.0.0;q=0.1,text/plain;version=0.0.4;q=0.9", TEXT],
    [PROMETHEUS_3, "application/openmetrics-text; version=1.0.0; charset=utf-8; escaping=allow-utf-8"],
    [PROMETHEUS_2, "application/openmetrics-text; version=1.0.0; charset=utf-8"],
    ["*/*;q=0", TEXT],
    [";;;,,,", TEXT],
  ])("answers Accept %j with %j", (accept, contentType) => {
    expect(negotiateFormat(accept === undefined ? {} : { accept }).contentType).toBe(contentType);
  });

  test("matches format and content type for any header", () => {
    const parameter = fc.constantFrom(
      "",
      ";version=0.0.4",
      ";version=1.0.0",
      ";escaping=dots",
      ";q=0.5",
      ";q=0",
      ";q=x",
      ";charset=utf-8",
    );
    const range = fc.tuple(
      fc.constantFrom("text/plain", "application/openmetrics-text", "*/*", "text/*", "application/json", "garbage"),
      fc.array(parameter, { maxLength: 3 }),
    );
    const structured = fc
      .array(range.map(([type, parameters]) => type + parameters.join("")))
      .map((all) => all.join(","));
    fc.assert(
      fc.property(fc.oneof(structured, fc.string()), (accept) => {
        const { body, contentType } = negotiateFormat({ accept });
        expect(contentType).toMatch(
          body === "text"
            ? /^text\/plain; version=(0\.0\.4|1\.0\.0);/
            : /^application\/openmetrics-text; version=(0\.0\.1|1\.0\.0);/,
        );
      }),
    );
  });
});

describe("negotiateEncoding", () => {
  test.each([
    [undefined, "identity"],
    ["gzip", "gzip"],
    ["gzip, deflate, br", "gzip"],
    ["GZIP", "gzip"],
    ["*", "gzip"],
    ["gzip;q=0", "identity"],
    ["gzip;q=0.5, identity;q=0.8", "identity"],
    ["deflate", "identity"],
    ["", "identity"],
  ])("answers Accept-Encoding %j with %s", (header, encoding) => {
    expect(negotiateEncoding(header === undefined ? {} : { "accept-encoding": header })).toBe(encoding);
  });
});
