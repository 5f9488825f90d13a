import { gunzipSync } from "node:zlib";
import fc from "fast-check";
import { expect, it } from "vitest";
import { type DeflatedPart, deflatePart, gzipBeginning, gzipEnd, joinDeflated } from "../../src/exposition/deflated.ts";

const gzipMember = (beginning: DeflatedPart, end: Buffer) => [...gzipBeginning(beginning), ...gzipEnd(beginning, end)];

async function deflateAll(parts: readonly Buffer[]): Promise<DeflatedPart> {
  return joinDeflated(await Promise.all(parts.map((part) => deflatePart(part))));
}

it("makes one gzip member of a cached beginning and a fresh end", async () => {
  const parts = fc.array(fc.uint8Array({ maxLength: 5_000 }).map((bytes) => Buffer.from(bytes)));
  const end = fc.string().map((text) => Buffer.from(text));
  await fc.assert(
    fc.asyncProperty(parts, end, end, async (beginning, firstEnd, secondEnd) => {
      const deflated = await deflateAll(beginning);
      for (const fresh of [firstEnd, secondEnd]) {
        expect(gunzipSync(Buffer.concat(gzipMember(deflated, fresh)))).toEqual(Buffer.concat([...beginning, fresh]));
      }
    }),
    { numRuns: 50 },
  );
});

it("carries the checksum over many large parts", async () => {
  const beginning = Array.from({ length: 40 }, (_, index) => Buffer.alloc(300_000, `line ${index}\n`));
  const page = Buffer.concat(gzipMember(await deflateAll(beginning), Buffer.from("end")));
  expect(gunzipSync(page).equals(Buffer.concat([...beginning, Buffer.from("end")]))).toBe(true);
});
