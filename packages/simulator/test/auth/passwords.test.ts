import { expect, test } from "vitest";
import type { User } from "../../src/auth/accounts.ts";
import { passwordProblem } from "../../src/auth/passwords.ts";

const USER = { loginName: "Operator" } as User;

test.each([
  ["Abcdefg1", undefined],
  ["Zürich-2026", undefined],
  ["ÄÖÜäöü12", undefined],
  ["Abcdef1", "at least 8"],
  ["Ab1🔥🔥🔥🔥", "at least 8"],
  ["Ab1🔥🔥🔥🔥🔥", undefined],
  ["abcdefg1", "capital letter"],
  ["ABCDEFG1", "small letter"],
  ["Abcdefgh", "digit"],
  ["My-OPERATOR-1", "login name"],
  [`Aa1${"x".repeat(997)}`, undefined],
  [`Aa1${"x".repeat(998)}`, "at most 1000"],
])("%.20s lacks %s", (password, lack) => {
  const complaint = passwordProblem(password, USER);
  if (lack === undefined) expect(complaint).toBeUndefined();
  else expect(complaint).toContain(lack);
});
