import { expect, test } from "vitest";
import { sharedLookup } from "../../../src/prtg/decode/lookup.ts";
import type { LookupDefinition } from "../../../src/prtg/records.ts";

const yesNo = (no = "No"): LookupDefinition => ({
  id: "test.yesno",
  name: "Yes or no",
  entries: [
    { kind: "range", from: 0, to: 0, text: no },
    { kind: "range", from: 1, to: 1, text: "Yes" },
  ],
});

test("servers share equal lookups", () => {
  const first = sharedLookup(yesNo());
  expect(sharedLookup(yesNo())).toBe(first);
});

test("a different lookup with the same id stays separate", () => {
  const first = sharedLookup(yesNo());
  const other = sharedLookup(yesNo("Nein"));
  expect(other).toEqual(yesNo("Nein"));
  expect(first).toEqual(yesNo());
  expect(sharedLookup(yesNo("Nein"))).toBe(other);
});

test("any number of lookups stay unchanged", () => {
  for (let number = 0; number < 10_000; number++) {
    const definition = { ...yesNo(), id: `test.${number}` };
    expect(sharedLookup(definition)).toBe(definition);
  }
});
