import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { wholeBody } from "../../../src/lib/http/whole-body.ts";

function bodyOf(...texts: string[]): Readable {
  return Readable.from(texts.map((text) => Buffer.from(text)));
}

test.each([
  ["no chunks", [], 0, ""],
  ["chunks up to the limit", ["ab", "c"], 3, "abc"],
  ["more than the limit", ["ab", "c"], 2, undefined],
])("wholeBody: %s", async (_what, texts, maxBytes, expected) => {
  expect((await wholeBody(bodyOf(...texts), maxBytes))?.toString()).toBe(expected);
});

test("wholeBody: closes a body that it does not read to the end", async () => {
  const body = bodyOf("ab", "c", "d");
  await wholeBody(body, 1);
  expect(body.destroyed).toBe(true);
});

test("wholeBody: fails as the body does", async () => {
  const fault = new Error("closed");
  const body = Readable.from(
    (async function* () {
      yield Buffer.from("a");
      throw fault;
    })(),
  );
  await expect(wholeBody(body, 10)).rejects.toBe(fault);
});
