import { readFileSync } from "node:fs";
import { Validator } from "@seriousme/openapi-schema-validator";
import { load } from "js-yaml";
import { expect, test } from "vitest";

const DOCUMENT = load(readFileSync(new URL("../../../api/openapi.yaml", import.meta.url), "utf8")) as Record<
  string,
  unknown
>;

test("the contract is a valid OpenAPI document", async () => {
  const validator = new Validator();
  const { valid, errors } = await validator.validate(DOCUMENT);
  expect(errors).toBeUndefined();
  expect([valid, validator.version]).toEqual([true, "3.1"]);
});

test("every refusal of the API shows its status, code and body", () => {
  const { responses } = DOCUMENT.components as { readonly responses: Readonly<Record<string, Refusal>> };
  const lacking = Object.entries(responses).flatMap(([name, { content }]) => {
    const { schema, examples = {} } = content?.["application/json"] ?? {};
    const codes = schema?.allOf.flatMap(({ properties }) => properties?.code.enum ?? []) ?? [];
    const shown = Object.values(examples).map(({ value }) => value.code);
    const unknown = shown.filter((code) => !codes.includes(code)).map((code) => `${name} cannot be ${code}`);
    return [
      ...unknown,
      ...codes.filter((one) => OF_STATE.includes(one) && !shown.includes(one)).map((one) => `${name} ${one}`),
    ];
  });
  expect(lacking).toEqual([]);
});

const OF_STATE = ["WRONG_NODE_STATUS", "PAUSE_ADMIN"];

interface Refusal {
  readonly content?: {
    readonly "application/json": {
      readonly schema: {
        readonly allOf: readonly { readonly properties?: { readonly code: { readonly enum: string[] } } }[];
      };
      readonly examples?: Readonly<Record<string, { readonly value: { readonly code: string } }>>;
    };
  };
}
