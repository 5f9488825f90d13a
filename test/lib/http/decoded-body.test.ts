import { text } from "node:stream/consumers";
import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { DamagedBody, decodedBody, isSupportedEncoding } from "../../../src/lib/http/decoded-body.ts";

const TEXT = "a measurement, and another one; ".repeat(10_000);

const ENCODERS: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  gzip: (bytes) => gzipSync(bytes),
  "x-gzip": (bytes) => gzipSync(bytes),
  deflate: (bytes) => deflateSync(bytes),
  br: (bytes) => brotliCompressSync(bytes),
  zstd: (bytes) => zstdCompressSync(bytes),
};

/** Notes the end of the source. */
function source(bytes: Buffer, { size = 1_000, failure }: { size?: number; failure?: Error } = {}) {
  const state = { read: 0, isClosed: false };
  const chunks = async function* (): AsyncGenerator<Buffer> {
    try {
      for (let at = 0; at < bytes.length; at += size) {
        state.read++;
        yield bytes.subarray(at, at + size);
      }
      if (failure !== undefined) throw failure;
    } finally {
      state.isClosed = true;
    }
  };
  return { state, chunks: chunks() };
}

describe("decodedBody", () => {
  test.each(Object.keys(ENCODERS))("unpacks %s in pieces of any size", async (encoding) => {
    const bytes = ENCODERS[encoding]?.(Buffer.from(TEXT)) ?? expect.unreachable();
    for (const size of [1, 7, 100_000]) {
      const { chunks, state } = source(bytes, { size });
      expect(await text(decodedBody(chunks, encoding))).toBe(TEXT);
      expect(state.isClosed).toBe(true);
    }
  });

  test("unpacks deflate without the header that RFC 9110 requires", async () => {
    const { chunks } = source(deflateRawSync(Buffer.from(TEXT)));
    expect(await text(decodedBody(chunks, "deflate"))).toBe(TEXT);
  });

  test.each([undefined, "", "identity", "unknown"])("passes a body with encoding %s", async (encoding) => {
    expect(await text(decodedBody(source(Buffer.from(TEXT)).chunks, encoding))).toBe(TEXT);
  });

  test.each(Object.keys(ENCODERS))("has nothing for an empty body in %s", async (encoding) => {
    expect(await text(decodedBody(source(Buffer.alloc(0)).chunks, encoding))).toBe("");
  });

  test.each(Object.keys(ENCODERS))("rejects a damaged or shortened body in %s", async (encoding) => {
    const whole = ENCODERS[encoding]?.(Buffer.from(TEXT)) ?? expect.unreachable();
    for (const bytes of [Buffer.from("not packed at all"), whole.subarray(0, -6)]) {
      const { chunks, state } = source(bytes);
      const error = await text(decodedBody(chunks, encoding)).catch((fault: unknown) => fault);
      expect(error).toBeInstanceOf(DamagedBody);
      expect(error).toMatchObject({ message: `the body is not valid ${encoding}`, cause: expect.any(Error) });
      expect(state.isClosed).toBe(true);
    }
  });

  test("rejects with the error of the connection, not with the damage that it causes", async () => {
    const failure = new Error("connection reset");
    const bytes = gzipSync(Buffer.from(TEXT));
    const { chunks } = source(bytes.subarray(0, bytes.length / 2), { failure });
    await expect(text(decodedBody(chunks, "gzip"))).rejects.toBe(failure);
  });

  test("refuses a window of zstd that needs more than 8 MiB of memory", async () => {
    const params = { [constants.ZSTD_c_windowLog]: 24, [constants.ZSTD_c_compressionLevel]: 1 };
    const large = zstdCompressSync(Buffer.alloc(20 << 20), { params, pledgedSrcSize: 20 << 20 });
    await expect(text(decodedBody(source(large).chunks, "zstd"))).rejects.toBeInstanceOf(DamagedBody);
  });

  test("unpacks a bomb piece by piece, and stops with its reader", async () => {
    const bomb = gzipSync(Buffer.alloc(200 << 20));
    const { chunks, state } = source(bomb, { size: 100 });
    let bytes = 0;
    for await (const chunk of decodedBody(chunks, "gzip")) {
      expect(chunk.length).toBeLessThanOrEqual(64 * 1024);
      bytes += chunk.length;
      if (bytes > 1 << 20) break;
    }
    expect(state.isClosed).toBe(true);
    expect(100 * state.read).toBeLessThan(bomb.length / 2);
  });
});

test.each([
  [undefined, true],
  ["", true],
  ["identity", true],
  ["zstd", true],
  ["compress", false],
  ["gzip, br", false],
])("isSupportedEncoding: %s is %s", (encoding, isSupported) => {
  expect(isSupportedEncoding(encoding)).toBe(isSupported);
});
