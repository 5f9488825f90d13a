import { expect, test } from "vitest";
import { RecordsBody } from "../../../src/prtg/request/response-body.ts";

/** A chunk with memory of its own, as those of sockets have. */
function chunkOf(text: string): Buffer<ArrayBuffer> {
  const memory = new ArrayBuffer(text.length);
  const chunk = Buffer.from(memory);
  chunk.write(text);
  return chunk;
}

test("hands on all records, and keeps the memory of no chunk", () => {
  const records: unknown[] = [];
  const body = new RecordsBody({ take: (record) => records.push(record) });
  const chunks = ['[{"id":"1"},', '{"id":"2"}', "]"].map(chunkOf);
  for (const chunk of chunks) void body.take(chunk);
  body.end();
  expect(records).toEqual([{ id: "1" }, { id: "2" }]);
  expect(chunks.map(({ length }) => length)).toEqual([0, 0, 0]);
});

test("keeps no memory of a body that ends too early either", () => {
  const body = new RecordsBody({ take: () => undefined });
  const chunk = chunkOf('[{"id":"1"},{"id"');
  void body.take(chunk);
  expect(() => body.end()).toThrow(SyntaxError);
  expect(chunk.length).toBe(0);
});
