import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { CompressedPage } from "../../src/exposition/compressed-page.ts";
import { type DeflatedChunk, deflateChunk, gzipBeginning, gzipEnd } from "../../src/exposition/gzip.ts";

const lineOf = (at: number, value: number) => `prtg_channel_value{id="${at}"} ${value}\n`;
const chunkOf = (at: number, value = 0) => deflateChunk(Buffer.from(lineOf(at, value)));
const buffersOf = (page: CompressedPage) => new Set(page.joined().buffers);

async function textOf(page: CompressedPage): Promise<string> {
  const joined = page.joined();
  return gunzipSync(Buffer.concat([...gzipBeginning(joined), ...(await gzipEnd(joined, []))])).toString();
}

test("a page in few buffers says what its chunks say, also where chunks changed, came and went", async () => {
  const values = Array.from({ length: 40 }, () => 0);
  let chunks: DeflatedChunk[] = values.map((value, at) => chunkOf(at, value));
  const expected = () => values.map((value, at) => lineOf(at, value)).join("");
  let page = new CompressedPage(chunks);
  expect(page.joined().buffers.length).toBe(3);
  for (const [at, value] of [
    [0, 1],
    [17, 2],
    [39, 3],
    [40, 4],
  ] as const) {
    values[at] = value;
    chunks = chunks.with(Math.min(at, chunks.length - 1), chunks[at] ?? chunkOf(39, 3));
    chunks[at] = chunkOf(at, value);
    page = new CompressedPage(chunks, page);
    expect(await textOf(page)).toBe(expected());
  }
  values.length = 5;
  page = new CompressedPage(chunks.slice(0, 5), page);
  expect(await textOf(page)).toBe(expected());
});

test("only what differs from the page that was sent last is put together, and only when a page is sent", () => {
  const chunks = Array.from({ length: 64 }, (_, at) => chunkOf(at));
  const sent = new CompressedPage(chunks);
  const before = buffersOf(sent);
  expect(before.size).toBe(4);
  const next = chunks.with(20, chunkOf(20, 1));
  const unsent = new CompressedPage(next, sent);
  expect(unsent.bytes).toBe(next.flatMap(({ buffers }) => buffers).reduce((sum, { length }) => sum + length, 0));
  const last = new CompressedPage(next.with(21, chunkOf(21, 2)), unsent);
  expect(buffersOf(last).difference(before).size).toBe(1);
  // What is sent twice is the same.
  expect(buffersOf(last)).toEqual(buffersOf(last));
  expect(last.joined()).toBe(last.joined());
});
