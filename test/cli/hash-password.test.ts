import { PassThrough, Readable } from "node:stream";
import bcrypt from "bcryptjs";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { askTwice, hashOf, readLine } from "../../src/cli/hash-password.ts";
import { readUsers } from "../../src/http/auth/basic-auth.ts";
import { runInProcess } from "./support/command-in-process.ts";

/** Cheap. */
const COST = 4;

function typing(...answers: string[]) {
  return { askSecret: async () => answers.shift() ?? expect.fail("no more answers") };
}

async function* chunks(...texts: (string | Buffer)[]) {
  yield* texts;
}

test("the hash fits the password, the cost and the web configuration", async () => {
  const hash = await hashOf(" pässword ", COST);
  expect(hash).toMatch(/^\$2b\$04\$/);
  expect(await bcrypt.compare(" pässword ", hash)).toBe(true);
  expect(readUsers({ prometheus: hash })).toEqual(new Map([["prometheus", hash]]));
  expect(await hashOf(" pässword ", COST)).not.toBe(hash);
});

test.each([
  ["", "empty"],
  ["x".repeat(73), "only 72 bytes"],
  ["ü".repeat(37), "only 72 bytes"],
])("refuses %j", async (password, fault) => {
  await expect(hashOf(password, COST)).rejects.toMatchObject({
    code: "PASSWORD_UNUSABLE",
    message: expect.stringContaining(fault),
  });
});

test("accepts 72 bytes", async () => {
  expect(await bcrypt.compare("x".repeat(72), await hashOf("x".repeat(72), COST))).toBe(true);
});

test("asks twice and compares", async () => {
  expect(await askTwice(typing("one", "one"))).toBe("one");
  await expect(askTwice(typing("one", "One"))).rejects.toMatchObject({ message: "the two passwords differ" });
});

test.each([
  [["secret\n"], "secret"],
  [["sec", "ret\r\n"], "secret"],
  [[" secret "], " secret "],
  [[Buffer.from("s\u00fc").subarray(0, 2), Buffer.from("s\u00fc").subarray(2)], "s\u00fc"],
  [[], ""],
])("reads %j from standard input as %j", async (parts, password) => {
  expect(await readLine(chunks(...parts))).toBe(password);
});

test.each([
  ["two\nlines", "more than one line"],
  ["x".repeat(5_000), "longer than a password"],
])("refuses other input", async (text, fault) => {
  await expect(readLine(chunks(text))).rejects.toMatchObject({
    code: "PASSWORD_UNUSABLE",
    message: expect.stringContaining(fault),
  });
});

describe("command", () => {
  function standardInput(stream: Readable & { readonly isTTY?: boolean }): void {
    const stdin = vi.spyOn(process, "stdin", "get").mockReturnValue(stream as typeof process.stdin);
    onTestFinished(() => stdin.mockRestore());
  }

  test("prints the hash of the line in a pipe", async () => {
    standardInput(Readable.from(["secret\n"]));
    const { code, stdout, stderr } = await runInProcess(["hash-password", "--cost", `${COST}`]);
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(/^\$2b\$04\$\S+\n$/);
    expect(await bcrypt.compare("secret", stdout.trimEnd())).toBe(true);
  });

  test("asks twice on a terminal, and prints only the hash on standard output", async () => {
    standardInput(Object.assign(new PassThrough(), { isTTY: true }));
    process.stdin.push("secret\rsecret\r");
    const { code, stdout, stderr } = await runInProcess(["hash-password", "--cost", `${COST}`]);
    expect(code).toBe(0);
    expect(stderr).toBe("Password (not shown): \nThe same again: \n");
    expect(await bcrypt.compare("secret", stdout.trimEnd())).toBe(true);
    // An open terminal would keep the process running.
    expect(process.stdin.isPaused()).toBe(true);
  });

  test("prints no hash of an unusable password", async () => {
    standardInput(Readable.from(["\n"]));
    const { code, stdout, stderr } = await runInProcess(["hash-password"]);
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(/^prtg-exporter: the password is empty \[PASSWORD_UNUSABLE\]/);
  });
});
