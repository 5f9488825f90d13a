import { expect, test } from "vitest";
import { oneLine, shortLine, textTable } from "../../src/lib/printable-text.ts";

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

test.each([
  ["a\r\n\tb", "a b"],
  ["a\u202eb\u2066c\u200bd\u2028e\ufefff", "a b c d e f"],
  ["a\u{e0041}b\ud83d", "a b "],
  ["Zürich 漢 😀", "Zürich 漢 😀"],
])("oneLine(%j)", (text, line) => {
  expect(oneLine(text)).toBe(line);
});

test("a short line has no half characters", () => {
  expect(shortLine("abcd", 4)).toBe("abcd");
  expect(shortLine("ab\ncd", 4)).toBe("ab …");
  expect(shortLine("ab😀cd", 4)).toBe("ab\ufffd…");
});
