import { describe, expect, test } from "vitest";
import {
  isMergeKey,
  MAX_ITEMS,
  MAX_LINES,
  MAX_NESTING,
  MAX_YAML_BYTES,
  parseYamlTree,
  YamlFault,
  type YamlNode,
} from "../../src/lib/yaml-tree.ts";

function faultOf(text: string): unknown {
  try {
    return parseYamlTree(text);
  } catch (error) {
    expect(error).toBeInstanceOf(YamlFault);
    return error;
  }
}

/** The value of the only key. */
function valueIn(text: string): YamlNode {
  const root = parseYamlTree(text);
  if (root.kind !== "map" || root.entries[0] === undefined) throw new Error("no map");
  return root.entries[0].value;
}

/** Offsets of all empty scalars, in order. */
function emptyIn(node: YamlNode): number[] {
  if (node.kind === "alias") return [];
  if (node.kind === "scalar") return node.text === "" ? [node.offset] : [];
  return node.kind === "list"
    ? node.items.flatMap(emptyIn)
    : node.entries.flatMap(({ key, value }) => [key, value].flatMap(emptyIn));
}

/** All anchors and aliases, in order. */
function namesIn(node: YamlNode): string[] {
  if (node.kind === "alias") return [`*${node.name}`];
  const below =
    node.kind === "list"
      ? node.items
      : node.kind === "map"
        ? node.entries.flatMap((entry) => Object.values(entry))
        : [];
  return [...(node.anchor === undefined ? [] : [`&${node.anchor}`]), ...below.flatMap(namesIn)];
}

describe("parseYamlTree", () => {
  test.each([
    ["a: 12", 12],
    ["a: '12'", "12"],
    ['a: "12"', "12"],
    ["a: ! 12", "12"],
    ["a: !!str 12", "12"],
    ['a: !!int "12"', 12],
    ["a: 1.5", 1.5],
    ["a: true", true],
    ["a: yes", "yes"],
    ["a: ~", null],
    ["a:", null],
    ["a: |\n  12\n", "12\n"],
  ])("reads the scalar of %j", (text, value) => {
    expect(valueIn(text)).toMatchObject({ kind: "scalar", value });
  });

  test("keeps the text of a number", () => {
    expect(valueIn("a: 0123")).toMatchObject({ value: 123, text: "0123", isPlain: true });
    expect(valueIn("a: '0123'")).toMatchObject({ value: "0123", text: "0123", isPlain: false });
  });

  test("names anchors and aliases of scalars, lists and maps", () => {
    const text = "one: &map { x: &scalar 1, y: plain }\ntwo: &list [ *map, &last two ]\n&key three: *scalar\n";
    expect(namesIn(parseYamlTree(text))).toEqual(["&map", "&scalar", "&list", "*map", "&last", "&key", "*scalar"]);
  });

  test.each([
    ["text", "a: x", "x"],
    ["single quotes", "a: 'x'", "'"],
    ["double quotes", 'a: "x"', '"'],
    ["an anchor", "a: &n x", "x"],
    ["a list", "a: [1]", "["],
    ["a map", "a: {b: 1}", "{"],
    ["a block", "a: |\n  x", "|"],
    ["a block with a comment", "a: >- # why > |\n  x", ">"],
    ["a block with an indentation", "a: |2+\n   x\n", "|"],
    ["a block after a flow", "b: [1]\na: >\n  x", ">"],
    ["an empty block", "a: |\n\n", "|"],
    ["an alias", "a: *n", "*"],
  ])("places %s", (_what, text, mark) => {
    const root = parseYamlTree(text);
    const found =
      root.kind === "map" ? root.entries.find(({ key }) => key.kind === "scalar" && key.text === "a") : root;
    expect(found).toMatchObject({ value: { offset: text.indexOf(mark) } });
  });

  test.each<[text: string, ...offsets: number[]]>([
    ["a:", 1],
    ["a:  # why\nb: 1", 1],
    ["a: &anchor\nb: 1", 10],
    ["a: !!str\nb: 1", 8],
    ["a: !!str &n\nb: 1", 11],
    ["{a: , b: 1}", 2],
    // After the dash.
    ["-", 1],
    ["-\n-\n- 1", 1, 3],
    ["a:\n  - \n  - 1", 6],
    ["- # - why\n- 1\n# -\n-", 1, 19],
    ["- 'it'\n-\n- [1]\n-\n- {b: 1}\n-", 8, 16, 27],
    ["- - 1\n  -\n- 2", 9],
    ["- &a x\n- *a\n-", 13],
    ["&a x: 1\n*a :\nb: 2", 10],
    // At the colon.
    [": 1", 0],
    ["{: 1}", 1],
    ["? \n: 1", 0],
    ["a: [1] # :\n: 2", 11],
    ['a: "it"\n: 2', 8],
  ])("places what is missing in %j", (text, ...offsets) => {
    expect(emptyIn(parseYamlTree(text))).toEqual(offsets);
  });

  test.each([
    "a: 1\n---\nb: 2\n",
    "---\na: 1\n---\nb: 2\n",
    "a: 1\n--- b\n",
    "a: 1\n---",
    "a: 1 # a line of --- begins a document\n---\nb: 2\n",
    "a: [1,\n  2]\n# ---\n---\nb: 2\n",
  ])("refuses the second document of %j at its begin", (text) => {
    expect(faultOf(text)).toMatchObject({ message: "a second document", offset: text.lastIndexOf("---") });
  });

  test.each([
    ["an unknown tag", "a: !x 1", "unknown tag", 3],
    ["a value that its tag does not allow", "a: !!int x", "unknown tag", 3],
    ["a tag without its name", "a: !!nothing x", "unknown tag", 3],
    ["a list with the tag of a map", "a: !!map [1]", "unknown tag", 3],
    ["a map with the tag of a list", "a: !!seq {b: 1}", "unknown tag", 3],
    ["a map with the tag of a text", "a: !!str {b: 1}", "unknown tag", 3],
    ["a key twice", "a: 1\nb: 2\na: 3\n", "duplicated mapping key", 10],
    ["a long key", `${"k".repeat(1_025)}: 1`, "a long key", 0],
    ["a list without an end", "a: [1", "unexpected end of the stream within a flow collection", 5],
  ])("refuses %s", (_what, text, message, offset) => {
    expect(faultOf(text)).toMatchObject({ message, offset });
  });

  test("limits the items of a list", () => {
    const list = (items: number) => `a: [${Array<string>(items).fill("{}").join(" , ")}]`;
    expect(valueIn(list(MAX_ITEMS))).toMatchObject({ kind: "list", items: { length: MAX_ITEMS } });
    expect(faultOf(list(MAX_ITEMS + 1))).toMatchObject({ message: "too many items" });
  });

  const mebibyte = (characters: string) => characters.repeat(MAX_YAML_BYTES / Buffer.byteLength(characters));

  test.each([
    ["bytes", `#${mebibyte("x").slice(1)}`, `#${mebibyte("x")}`, "larger than 1,048,576 bytes"],
    ["bytes of other alphabets", `#${mebibyte("ä").slice(1)}`, `#${mebibyte("ä")}`, "larger than 1,048,576 bytes"],
    ["lines", "#\n".repeat(MAX_LINES), "#\n".repeat(MAX_LINES + 1), "too many lines"],
    ["lines of Mac OS", "#\r".repeat(MAX_LINES), "#\r".repeat(MAX_LINES + 1), "too many lines"],
    ["commas", `a: '${",".repeat(MAX_LINES)}'`, `a: '${",".repeat(MAX_LINES + 1)}'`, "too many lines"],
    [
      "levels",
      `${"[".repeat(MAX_NESTING - 1)}${"]".repeat(MAX_NESTING - 1)}`,
      "[".repeat(MAX_NESTING),
      "nesting exceeded",
    ],
  ])("limits the %s of a text", (_what, most, more, message) => {
    expect(() => parseYamlTree(most)).not.toThrow();
    expect(faultOf(more)).toMatchObject({ message: expect.stringContaining(message) });
  });

  test("refuses a map of too many lines before it parses them, but ignores lines below a key", () => {
    const keys = (count: number) => Array.from({ length: count }, (_, index) => `k${index}:`).join("\n");
    expect(parseYamlTree(keys(MAX_ITEMS))).toMatchObject({ entries: { length: MAX_ITEMS } });
    expect(faultOf(keys(MAX_ITEMS + 1))).toMatchObject({ message: "too many items" });
    // The first key that is one too many in any case, although it is wrong, too.
    const text = `${keys(2 * MAX_ITEMS + 1)}\n]`;
    expect(faultOf(text)).toMatchObject({ message: "too many items", offset: text.length - 1 });
    expect(() => parseYamlTree(`a: 1\n${"# why\n".repeat(3 * MAX_ITEMS)}`)).not.toThrow();
  });

  test.each([
    ["a: !!map {b: 1}", "map"],
    ["a: !!seq [1]", "list"],
    ["a: ! [1]", "list"],
    ["a: ! {b: 1}", "map"],
  ])("accepts the tag of %j", (text, kind) => {
    expect(valueIn(text)).toMatchObject({ kind });
  });

  test("accepts a key of 1,024 characters and several merge keys", () => {
    expect(valueIn(`${"k".repeat(1_024)}: 1`)).toMatchObject({ value: 1 });
    const root = parseYamlTree("<<: 1\n<<: 2\n'<<': 3\n");
    if (root.kind !== "map") return expect.unreachable();
    expect(root.entries.map(({ key }) => isMergeKey(key))).toEqual([true, true, false]);
  });

  test.each(["", "# nothing\n", "---\n"])("reads %j as an empty value", (text) => {
    expect(parseYamlTree(text)).toMatchObject({ kind: "scalar", value: null, text: "" });
  });
});
