import { expect, test } from "vitest";
import { ConfigError } from "../../src/config/config-error.ts";
import { describeError } from "../../src/errors/exporter-error.ts";
import type { BadDocument } from "./bad-documents/bad-document.ts";
import { CREDENTIALS } from "./bad-documents/credentials.ts";
import { FILES } from "./bad-documents/files.ts";
import { REFERENCES } from "./bad-documents/references.ts";
import { SERVERS } from "./bad-documents/servers.ts";
import { SYNTAX_FAULTS } from "./bad-documents/syntax.ts";
import { UNSENDABLE } from "./bad-documents/unsendable.ts";
import { VALUES } from "./bad-documents/values.ts";
import { FILE, failureOf, load, SECRET } from "./support.ts";

const BAD_DOCUMENTS: readonly BadDocument[] = [
  ...SYNTAX_FAULTS.map((document) => ({ code: "CONFIG_SYNTAX", ...document })),
  ...VALUES,
  ...CREDENTIALS,
  ...REFERENCES,
  ...FILES,
  ...SERVERS,
  ...UNSENDABLE,
];

test.each(BAD_DOCUMENTS)(
  "the loader rejects: $title",
  async ({ text, env = {}, code = "CONFIG_INVALID", problems }) => {
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
    expect(`${describeError(error)} ${JSON.stringify(error)} ${error.stack}`).not.toContain(SECRET);
  },
);
