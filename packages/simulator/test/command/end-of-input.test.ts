import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { endOfInput } from "../../src/command/end-of-input.ts";

test.each([
  ["ends", (input: PassThrough) => input.end()],
  ["closes", (input: PassThrough) => input.destroy()],
  ["fails", (input: PassThrough) => input.destroy(new Error("EIO"))],
])("resolves when the input %s, and reads what comes before", async (_, end) => {
  const input = new PassThrough();
  let ended = false;
  const waiting = endOfInput(input).then(() => {
    ended = true;
  });
  input.write("text");
  await new Promise((resolve) => setImmediate(resolve));
  expect(ended).toBe(false);
  end(input);
  await waiting;
  expect(ended).toBe(true);
});
