import { format, inspect } from "node:util";
import { describe, expect, test } from "vitest";
import { fileSecret, parseSecret, Secret } from "../../src/config/secrets.ts";
import { Redactor } from "../../src/errors/redactor.ts";
import { filesWith, SECRET } from "./support.ts";

describe("Secret", () => {
  const secret = new Secret(SECRET);

  test.each([
    ["String", String(secret)],
    ["a template", `${secret}`],
    ["concatenation", ["", secret].join("")],
    ["JSON.stringify", JSON.stringify({ secret })],
    ["inspect", inspect({ secret }, { showHidden: true, depth: 9 })],
    ["format", format("%s %o %j", secret, secret, secret)],
    ["Object.entries", String(Object.entries(secret))],
    ["an error message", new Error(`wrong: ${secret}`).message],
  ])("stays hidden in %s", (_, text) => {
    expect(text).not.toContain(SECRET);
  });

  test("prints as [redacted] and returns its value on demand", () => {
    expect([String(secret), JSON.stringify(secret), inspect(secret)]).toEqual([
      "[redacted]",
      '"[redacted]"',
      "[redacted]",
    ]);
    expect(secret.reveal()).toBe(SECRET);
  });
});

describe("parseSecret", () => {
  test.each([
    ["key", "key"],
    ["key\n", "key"],
    ["key\r\n", "key"],
    ["\uFEFFkey\n", "key"],
    [" key \n", " key "],
    ["pass word é", "pass word é"],
  ])("takes %j", (content, value) => {
    expect(parseSecret(content)).toEqual({ value });
  });

  test.each([
    ["", "is empty"],
    ["\n", "is empty"],
    [" \t\n", "is empty"],
    ["key\n\n", "more than one line"],
    ["a\nb", "more than one line"],
    ["a\rb", "more than one line"],
    ["k\0e\0y\0", "is not UTF-8 text"],
  ])("rejects %j", (content, fault) => {
    expect(parseSecret(content)).toEqual({ fault: expect.stringContaining(fault) });
  });
});

describe("fileSecret", () => {
  test("reads the file each time and adds the value to the redactor", async () => {
    const files: Record<string, string> = { "/key": `${SECRET}\n` };
    const redactor = new Redactor();
    const secret = fileSecret("/key", "/key", filesWith(files), redactor);
    expect((await secret.read()).reveal()).toBe(SECRET);
    files["/key"] = "rotated";
    expect((await secret.read()).reveal()).toBe("rotated");
    expect(redactor.redact(`${SECRET} and rotated`)).toBe("[redacted] and [redacted]");
    delete files["/key"];
    await expect(secret.read()).rejects.toMatchObject({
      code: "SECRET_UNREADABLE",
      message: "file /key cannot be read: no such file",
    });
  });
});
