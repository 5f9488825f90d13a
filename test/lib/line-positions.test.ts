import { describe, expect, test } from "vitest";
import { LinePositions } from "../../src/lib/yaml-tree.ts";

function at(text: string, offset: number): string {
  const { line, column } = new LinePositions(text).at(offset);
  return `${line}:${column}`;
}

describe("LinePositions", () => {
  test.each([
    ["", 0, "1:1"],
    ["one", 2, "1:3"],
    ["one\ntwo", 3, "1:4"],
    ["one\ntwo", 4, "2:1"],
    ["one\r\ntwo", 4, "1:5"],
    ["one\r\ntwo", 5, "2:1"],
    ["one\rtwo\rthree", 8, "3:1"],
    ["one\n\n\nfour", 5, "3:1"],
    ["one\n\n\nfour", 6, "4:1"],
    ["one\n", 4, "2:1"],
    // Editors do not show a byte order mark.
    ["\uFEFFone", 1, "1:1"],
    ["\uFEFFone\ntwo", 5, "2:1"],
    // Faults may be before the first or after the last character.
    ["one\ntwo", -1, "1:1"],
    ["\uFEFFone", 0, "1:1"],
    ["one\ntwo", 99, "2:4"],
  ])("places %j at %i: %s", (text, offset, position) => {
    expect(at(text, offset)).toBe(position);
  });

  test("finds each line of a long text", () => {
    const positions = new LinePositions("line\n".repeat(1_000));
    for (let line = 0; line < 1_000; line++) {
      expect(positions.at(5 * line)).toEqual({ line: line + 1, column: 1 });
      expect(positions.at(5 * line + 4)).toEqual({ line: line + 1, column: 5 });
    }
  });
});
