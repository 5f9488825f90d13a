import { expect, test } from "vitest";
import { textTable } from "../../src/lib/printable-text.ts";

test("the table aligns columns without trailing spaces", () => {
  expect(
    textTable(
      ["A", "LONGER", "C"],
      [
        ["aaa", "b", ""],
        ["", "", "c"],
      ],
    ),
  ).toBe("A    LONGER  C\naaa  b\n             c\n");
});

test("the table removes control characters, and a long cell moves only its line", () => {
  const long = "x".repeat(100);
  expect(
    textTable(
      ["A", "B"],
      [
        ["a\n\u001b[31mb\t c", "1"],
        [long, "2"],
      ],
    ),
  ).toBe(`${"A".padEnd(60)}  B\n${"a [31mb c".padEnd(60)}  1\n${long}  2\n`);
});
