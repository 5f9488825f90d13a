import fc from "fast-check";
import { expect, it } from "vitest";
import { sharedText } from "../../../src/prtg/decode/shared-text.ts";

it("gives the same text, whatever came before", () => {
  const text = fc.oneof(
    fc.string(),
    fc.constantFrom("", "a", "Traffic In", "Traffic Out", "x".repeat(64), "x".repeat(65)),
  );
  fc.assert(
    fc.property(fc.array(text, { maxLength: 50 }), (texts) => {
      expect(texts.map(sharedText)).toEqual(texts);
    }),
  );
});
