import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { contractHash, recordedHash, TYPES_FILE, withHeader } from "../../scripts/generate/api-types.ts";

const ROOT = new URL("../../", import.meta.url);

test("the types match the contract (if not: npm run api)", async () => {
  const [types, contract] = await Promise.all(
    [TYPES_FILE, "packages/simulator/api/openapi.yaml"].map((path) => readFile(new URL(path, ROOT), "utf8")),
  );
  expect(recordedHash(types ?? "")).toBe(contractHash(contract ?? ""));
});

test("the header of the types has the hash of their contract", () => {
  const hash = contractHash("openapi: 3.1.0\n");
  expect(recordedHash(withHeader("export interface paths {}\n\n", hash))).toBe(hash);
  expect(contractHash("openapi: 3.1.0\n\n")).not.toBe(hash);
  expect(recordedHash("export interface paths {}\n")).toBeUndefined();
});
