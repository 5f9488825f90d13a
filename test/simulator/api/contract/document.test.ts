import { readFileSync } from "node:fs";
import { Validator } from "@seriousme/openapi-schema-validator";
import { load } from "js-yaml";
import { expect, test } from "vitest";

const DOCUMENT = load(readFileSync(new URL("../../../../api/openapi.yaml", import.meta.url), "utf8")) as Record<
  string,
  unknown
>;

test("the contract is a valid OpenAPI document", async () => {
  const validator = new Validator();
  const { valid, errors } = await validator.validate(DOCUMENT);
  expect(errors).toBeUndefined();
  expect([valid, validator.version]).toEqual([true, "3.1"]);
});
