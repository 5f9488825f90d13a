import { describe, expect, test } from "vitest";
import { MARKS, sentencesOf } from "../../../scripts/prose/marks.ts";

const EXAMPLES: Readonly<Record<keyof typeof MARKS, string>> = {
  "begins with a What/Who/Where/Which clause": "What is sent is kept here.",
  "begins with That of, Those of, Of ...": "Of a list only the end stays.",
  "in place of": "It takes a file in place of text.",
  "is told": "The user is told about it.",
  "of which, of whom, of what": "A list of what was read.",
  "whoever, nobody, somebody": "Perhaps nobody reads this page.",
  "that there is, than there is": "It shows that there is one.",
  "is no, are none": "There is no such list here.",
  "so that": "It waits so that others start.",
  "ends with mostly, too, either ...": "The list is read, too.",
  semicolon: "It reads the list; it writes.",
  "over 30 words": `Word${" word".repeat(30)}.`,
};

test.each(Object.entries(EXAMPLES))("the check marks sentences: %s", (mark, text) => {
  expect(sentencesOf("a.md", text)).toEqual([{ file: "a.md", text, marks: [mark] }]);
});

test("each mark has an example", () => {
  expect(Object.keys(EXAMPLES)).toEqual(Object.keys(MARKS));
});

describe("sentences", () => {
  test.each([
    { title: "of a paragraph", file: "a.md", source: "One two three\nfour. Five six seven eight.", count: 2 },
    { title: "of each cell of a table", file: "a.md", source: "| one two three four | a b c d |", count: 2 },
    { title: "of each item of a list", file: "a.md", source: "- one two three four\n- a b c d", count: 2 },
    { title: "but not of code", file: "a.md", source: "```\none two three four\n```", count: 0 },
    { title: "but not of headings", file: "a.md", source: "# one two three four", count: 0 },
    { title: "of comments", file: "a.ts", source: "// One two three four.\nx;\n/** A b c d. */", count: 2 },
    { title: "but not of strings", file: "a.ts", source: '"/* one two three four */"; `// a b c d`', count: 0 },
    { title: "but not of addresses", file: "a.ts", source: "x = '//one two three four'", count: 0 },
  ])("$title", ({ file, source, count }) => {
    expect(sentencesOf(file, source)).toHaveLength(count);
  });
});
