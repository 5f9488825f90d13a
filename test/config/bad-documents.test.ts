import { expect, test } from "vitest";
import { ConfigError } from "../../src/config/config-error.ts";
import { describeError } from "../../src/errors/exporter-error.ts";
import { BAD_DOCUMENTS } from "./bad-documents.ts";
import { FILE, failureOf, load, SECRET } from "./support.ts";

test.each(BAD_DOCUMENTS)("refused: $title", async ({ text, env = {}, code = "CONFIG_INVALID", problems }) => {
  const error = await failureOf(load(text, env));
  expect(error).toBeInstanceOf(ConfigError);
  const lines = error.message.split("\n");
  const expected = problems.map(([position]) => expect.stringMatching(`^${FILE}:${position}.*: `));
  expect(lines).toEqual(expected);
  for (const [index, [position, ...fragments]] of problems.entries()) {
    if (!position.endsWith(":")) expect(lines[index]).toMatch(`${FILE}:${position}: `);
    for (const fragment of fragments) expect(lines[index]).toContain(fragment);
  }
  const codes = new Set(error.problems.map((problem) => problem.code));
  expect(error.code).toBe(codes.size === 1 ? code : "CONFIG_INVALID");
  expect(describeError(error)).not.toContain(SECRET);
});
