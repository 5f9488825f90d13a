import { randomBytes } from "node:crypto";
import { crc32, gunzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checksumOf, deflateChunk, GZIP_HEADER, gzipEnd, inflateChunk } from "../../src/exposition/gzip.ts";
import { type Content, contentOf } from "../../src/exposition/representation.ts";

const endOf = (beginning: Content, end: readonly Buffer[]) => gzipEnd(beginning, end, beginning.bytes);

const gzipMember = async (beginning: Content, ...end: Buffer[]) => [
  ...[GZIP_HEADER, ...beginning.chunks.map(({ bytes }) => bytes)],
  ...(await endOf(beginning, end)),
];

function deflateAll(parts: readonly Buffer[]): Content {
  return contentOf(parts.map(deflateChunk));
}

test("gzip joins a cached beginning and a fresh end in one member", async () => {
  const parts = fc.array(fc.uint8Array({ maxLength: 5_000 }).map((bytes) => Buffer.from(bytes)));
  const end = fc.string().map((text) => Buffer.from(text));
  await fc.assert(
    fc.asyncProperty(parts, end, end, async (beginning, firstEnd, secondEnd) => {
      const deflated = deflateAll(beginning);
      for (const fresh of [[], [firstEnd], [firstEnd, secondEnd]]) {
        expect(gunzipSync(Buffer.concat(await gzipMember(deflated, ...fresh)))).toEqual(
          Buffer.concat([...beginning, ...fresh]),
        );
      }
    }),
    { numRuns: 50 },
  );
});

test.each([0, 1, 63, 64, 5_000, 300_000])(
  "a chunk of %i bytes keeps only its compressed form and inflates again",
  (length) => {
    const given = randomBytes(length);
    const chunk = deflateChunk(given);
    expect(chunk.bytes.buffer.byteLength).toBe(chunk.bytes.length);
    const inflated = inflateChunk(chunk);
    expect(inflated.equals(given)).toBe(true);
  },
);

test("the checksum covers many large parts", async () => {
  const beginning = Array.from({ length: 40 }, (_, index) => Buffer.alloc(300_000, `line ${index}\n`));
  const page = Buffer.concat(await gzipMember(deflateAll(beginning), Buffer.from("end")));
  expect(gunzipSync(page).equals(Buffer.concat([...beginning, Buffer.from("end")]))).toBe(true);
});

test.each([
  ["uncompressed if the page is hardly longer", 2_000_000, 20_000, 20_000 + 5 + 8],
  ["uncompressed up to the size of a stored block", 8_000_000, 65_535, 65_535 + 5 + 8],
  ["compressed if it is longer", 8_000_000, 65_536, undefined],
  ["compressed if it is a large part of the page", 100_000, 20_000, undefined],
  ["as it is when there is nothing", 2_000_000, 0, 5 + 8],
])("gzip sends the end %s", async (_what, before, length, expected) => {
  // Random bytes do not compress.
  const beginning = randomBytes(before);
  const deflated = deflateAll([beginning]);
  const end = Buffer.alloc(length, "prtg_exporter_up 1\n");
  const member = await gzipMember(deflated, end);
  expect(gunzipSync(Buffer.concat(member)).equals(Buffer.concat([beginning, end]))).toBe(true);
  const bytes = (await endOf(deflated, [end])).reduce((sum, buffer) => sum + buffer.length, 0);
  if (expected === undefined) expect(bytes).toBeLessThan(length / 10);
  else expect(bytes).toBe(expected);
});

test.each([100, 20_000, 200_000])("gzip does not change the buffers of an end of %i bytes", async (length) => {
  const lines = [Buffer.alloc(length, "line\n"), Buffer.allocUnsafeSlow(length).fill("other line\n")];
  const before = Buffer.concat(lines);
  for (const end of [lines, lines.slice(1)]) {
    const member = Buffer.concat(await gzipMember(deflateAll([]), ...end));
    expect(gunzipSync(member).equals(Buffer.concat(end))).toBe(true);
  }
  expect(Buffer.concat(lines).equals(before)).toBe(true);
});

describe("checksumOf", () => {
  test("gives the checksum of joined pieces", () => {
    const pieces = fc.array(fc.uint8Array({ maxLength: 3_000 }).map((values) => Buffer.from(values)));
    fc.assert(
      fc.property(pieces, (given) => {
        const joined = Buffer.concat(given);
        expect(checksumOf(given.map(deflateChunk))).toEqual({ crc: crc32(joined), length: joined.length });
      }),
      { numRuns: 50 },
    );
  });

  test("works for long pieces", () => {
    const given = [Buffer.alloc(5_000_001, "first"), Buffer.alloc(70_000_003, "second")] as const;
    expect(checksumOf(given.map(deflateChunk))).toEqual({
      crc: crc32(given[1], crc32(given[0])),
      length: 75_000_004,
    });
  });
});
