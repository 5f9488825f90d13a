import { describe, expect, test } from "vitest";
import { isMergeKey, MAX_ITEMS, parseYamlTree, YamlFault, type YamlNode } from "../../src/lib/yaml-tree.ts";

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
    ["an alias", "a: *n", "*"],
  ])("places %s", (_what, text, mark) => {
    expect(valueIn(text).offset).toBe(text.indexOf(mark));
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
    ["a list with the tag of a map", "a: !!map [1]", "unknown tag", 3],
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
