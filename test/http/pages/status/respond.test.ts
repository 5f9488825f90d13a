import type { IncomingMessage, ServerResponse } from "node:http";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import {
  type Answer,
  CONTENT_SECURITY_POLICY,
  respond,
  SCRIPT,
  STYLE,
} from "../../../../src/http/pages/status/respond.ts";

const PAGE: Answer = { status: 200, contentType: "text/html; charset=utf-8", body: "<p>ü</p>" };

async function sent(answer: Answer, encodings = "gzip") {
  const headers: Record<string, unknown> = {};
  let status = 0;
  let body: Buffer = Buffer.alloc(0);
  const response = {
    hasHeader: (name: string) => name in headers,
    setHeader: (name: string, value: unknown) => {
      headers[name] = value;
    },
    writeHead: (code: number, more: object) => {
      status = code;
      Object.assign(headers, more);
    },
    end: (bytes: Buffer) => {
      body = bytes;
    },
  };
  const request = { headers: { "accept-encoding": encodings } };
  await respond(request as unknown as IncomingMessage, response as unknown as ServerResponse, answer);
  return { status, headers, body };
}

describe("answer of a page", () => {
  it("is not kept by caches", async () => {
    const { status, headers, body } = await sent({ ...PAGE, status: 404 });
    expect([status, body.toString()]).toEqual([404, "<p>ü</p>"]);
    expect(headers).toMatchObject({
      ...{ "Content-Type": "text/html; charset=utf-8", "Content-Length": 9, Vary: "Accept-Encoding" },
      "Cache-Control": "no-store",
    });
    expect(headers).not.toHaveProperty("Content-Encoding");
  });

  it("is kept for a year if its path has a hash of the content", async () => {
    const { headers } = await sent({ ...PAGE, isImmutable: true, vary: "Accept" });
    expect(headers).toMatchObject({ Vary: "Accept", "Cache-Control": "public, max-age=31536000, immutable" });
  });

  it.each([
    [1_000, "gzip", undefined],
    [1_001, "gzip", "gzip"],
    [1_001, "identity", undefined],
  ])("of %i bytes for a client with %s is encoded as %s", async (size, accepted, encoding) => {
    const text = "x".repeat(size);
    const { headers, body } = await sent({ ...PAGE, body: text }, accepted);
    expect(headers["Content-Encoding"]).toBe(encoding);
    expect(headers["Content-Length"]).toBe(body.length);
    expect((encoding === undefined ? body : gunzipSync(body)).toString()).toBe(text);
  });

  it("allows only files of the exporter, and no other page may frame it", () => {
    const directives = CONTENT_SECURITY_POLICY.split("; ").map((directive) => directive.split(" "));
    expect(Object.fromEntries(directives.map(([name, ...sources]) => [name, sources]))).toEqual({
      // Everything that has no directive of its own.
      "default-src": ["'none'"],
      ...Object.fromEntries(
        ["style-src", "script-src", "connect-src", "form-action"].map((name) => [name, ["'self'"]]),
      ),
      // The icon.
      "img-src": ["data:"],
      "base-uri": ["'none'"],
      "frame-ancestors": ["'none'"],
    });
  });
});

it("the files of pages have a path with a hash of their content", () => {
  expect(STYLE).toMatchObject({ contentType: "text/css; charset=utf-8" });
  expect(STYLE.path).toMatch(/^\/assets\/[\da-f]{10}-status\.css$/);
  expect(SCRIPT).toMatchObject({ contentType: "text/javascript; charset=utf-8" });
  expect(SCRIPT.path).toMatch(/^\/assets\/[\da-f]{10}-status\.js$/);
});
