import type { ServerResponse } from "node:http";
import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { expect, test } from "vitest";
import { never } from "../../support/never-aborted.ts";
import { startApiServer } from "../support/api-server.ts";
import { rejection, testClient } from "../support/test-client.ts";

const QUICKLY = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };

const ENCODINGS: readonly [string, string, (body: Buffer) => Buffer][] = [
  ["gzip", "gzip", gzipSync],
  [
    "gzip of two members",
    "x-gzip",
    (body) => Buffer.concat([gzipSync(body.subarray(0, 99)), gzipSync(body.subarray(99))]),
  ],
  ["deflate", "Deflate", deflateSync],
  ["deflate without its head", "deflate", deflateRawSync],
  ["br", "br", (body) => brotliCompressSync(body, QUICKLY)],
  ["zstd", "zstd", zstdCompressSync],
];

const LOOKUPS = Array.from({ length: 2_000 }, (_, id) => ({
  id: `lookup.${id}`,
  name: `Lookup ${id}`,
  type: "LOOKUP",
  lookup_type: "SINGLE_INT",
}));

function send(response: ServerResponse, encoding: string, body: Buffer, status = 200, total = 0): void {
  response.writeHead(status, {
    "content-type": "application/json",
    "content-encoding": encoding,
    "x-total-count": String(total),
  });
  response.end(body);
}

test.each(ENCODINGS)(
  "the client reads lists, facts and errors that a proxy compresses with %s",
  async (_name, encoding, pack) => {
    const server = await startApiServer(({ path, headers }, response) => {
      expect(headers["accept-encoding"]).toBe("identity");
      if (path === "/version") return send(response, encoding, pack(Buffer.from('{"version":"25.1"}'.padEnd(200))));
      if (path === "/health") return response.writeHead(204, { "content-encoding": encoding }).end();
      if (path === "/objects/count") {
        const refusal = { code: "FORBIDDEN", message: "no access to this", request_id: "r".repeat(100) };
        return send(response, encoding, pack(Buffer.from(JSON.stringify(refusal))), 403);
      }
      return send(response, encoding, pack(Buffer.from(JSON.stringify(LOOKUPS))), 200, LOOKUPS.length);
    });
    const { api } = testClient(server.url);
    expect(await api.version(never)).toEqual(new Map([["version", "25.1"]]));
    await api.health(never);
    const lookups = await api.lookups(never);
    expect([lookups?.items.length, lookups?.complete]).toEqual([LOOKUPS.length, true]);
    const refused = await rejection(api.objectCounts(never));
    expect(refused).toMatchObject({ code: "API_FORBIDDEN" });
    expect(refused.message).toContain("no access to this");
  },
);

test.each(ENCODINGS.filter(([name]) => name !== "deflate without its head"))(
  "damaged %s counts as invalid JSON, and an error status stays an error",
  async (_name, encoding, pack) => {
    const whole = pack(Buffer.from(JSON.stringify(LOOKUPS)));
    let body = whole.subarray(0, -20);
    let status = 200;
    const server = await startApiServer((_request, response) => send(response, encoding, body, status, LOOKUPS.length));
    const { api } = testClient(server.url, { maxAttempts: 1 });
    expect(await rejection(api.lookups(never))).toMatchObject({ code: "API_NOT_JSON" });
    body = Buffer.concat([whole.subarray(0, 2), Buffer.alloc(100, 0xff)]);
    const damaged = await rejection(api.lookups(never));
    expect(damaged).toMatchObject({ code: "API_NOT_JSON" });
    expect(damaged.message).toContain(encoding.toLowerCase());
    status = 401;
    expect(await rejection(api.version(never))).toMatchObject({ code: "API_UNAUTHORIZED" });
  },
);

/** They expand to 40 megabytes at least. */
function bombs(): readonly [string, Buffer][] {
  const list = (size: number) =>
    Buffer.concat([Buffer.from("["), Buffer.alloc(size, `{"id":"1"},${" ".repeat(1_000)}`)]);
  return [
    ["gzip", Buffer.concat(Array<Buffer>(40).fill(gzipSync(list(3_000_000))))],
    ["br", brotliCompressSync(list(40_000_000), QUICKLY)],
    ["zstd", Buffer.concat(Array<Buffer>(40).fill(zstdCompressSync(list(3_000_000))))],
  ];
}

test("the client decompresses up to limits.max_response_size with little memory", async () => {
  for (const [encoding, bomb] of bombs()) {
    const server = await startApiServer((_request, response) => send(response, encoding, bomb, 200, 1));
    const { api, recorded } = testClient(server.url, { limits: { maxResponseBytes: 2_000_000 }, maxAttempts: 1 });
    const before = process.memoryUsage().external;
    const failure = await rejection(api.lookups(never));
    expect(failure).toMatchObject({ code: "API_RESPONSE_TOO_LARGE" });
    expect(failure.message).toContain("limits.max_response_size");
    expect(process.memoryUsage().external - before).toBeLessThan(32_000_000);
    // Counts compressed bytes.
    expect(recorded.bytes).toBeLessThanOrEqual(bomb.length);
    expect(await rejection(api.version(never))).toMatchObject({ code: "API_RESPONSE_TOO_LARGE" });
  }
});

test("compressed bytes have a limit even if they decompress to nothing", async () => {
  const nothing = Buffer.alloc(2_000_000, gzipSync(""));
  const server = await startApiServer((_request, response) => send(response, "gzip", nothing, 200, 1));
  const { api } = testClient(server.url, { maxAttempts: 1 });
  expect(await rejection(api.lookups(never))).toMatchObject({ code: "API_RESPONSE_TOO_LARGE" });
});

test("the client allocates no window of gigabytes for zstd", async () => {
  const params = { [constants.ZSTD_c_windowLog]: 27, [constants.ZSTD_c_enableLongDistanceMatching]: 1 };
  const body = zstdCompressSync(Buffer.alloc(10_000_000, "[]"), { params });
  const server = await startApiServer((_request, response) => send(response, "zstd", body, 200, 1));
  const { api } = testClient(server.url, { maxAttempts: 1, limits: { maxResponseBytes: 50_000_000 } });
  expect(await rejection(api.lookups(never))).toMatchObject({ code: "API_NOT_JSON" });
});

test.each(["compress", "gzip, br", "aes128gcm"])("the client rejects an unknown encoding: %s", async (encoding) => {
  const server = await startApiServer((_request, response) => send(response, encoding, Buffer.from("[]"), 200, 0));
  const error = await rejection(testClient(server.url, { maxAttempts: 1 }).api.lookups(never));
  expect(error).toMatchObject({ code: "API_NOT_JSON" });
  expect(error.message).toContain(encoding);
});

test("a slow compressed answer past the deadline, or without a reader, ends its connection", async () => {
  let closed = 0;
  const body = gzipSync(JSON.stringify(LOOKUPS));
  const server = await startApiServer((_request, response) => {
    response.writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" });
    response.once("close", () => closed++);
    response.write(body.subarray(0, 500));
  });
  const leaving = new AbortController();
  const { api } = testClient(server.url, { maxAttempts: 1, limits: { timeoutMs: 100 } });
  expect(await rejection(api.lookups(never))).toMatchObject({ code: "API_TIMEOUT" });
  const left = api.lookups(leaving.signal).catch((error: unknown) => error);
  leaving.abort(new Error("left"));
  expect(await left).toMatchObject({ message: "left" });
  await expect.poll(() => closed).toBe(server.requests.length);
});
