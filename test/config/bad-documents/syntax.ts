import { SECRET } from "../support.ts";
import { auth, type BadDocument, SERVER } from "./bad-document.ts";

/** Invalid or oversized YAML. */
export const SYNTAX_FAULTS: readonly BadDocument[] = [
  {
    title: "tab as indentation",
    text: `${SERVER}collectors:\n\ttree:\n`,
    problems: [["4:1", "a tab in the indentation"]],
  },
  { title: "duplicate key", text: `${SERVER}metrics: {}\nmetrics: {}\n`, problems: [["4:1", "occurs twice"]] },
  { title: "duplicate key in { }", text: `${SERVER}metrics: {a: 1, a: 2}\n`, problems: [["3:17", "occurs twice"]] },
  { title: "two documents", text: `${SERVER}---\nmetrics: {}\n`, problems: [["3:1", "second document"]] },
  { title: "open quote", text: `${SERVER}stale_after: "5m\n`, problems: [["4:1", "closing double quote is missing"]] },
  {
    title: "open [",
    text: `${SERVER}metrics: { node_sensors: [probe, group }\n`,
    problems: [["3:40", "a closing ] is missing"]],
  },
  { title: "open {", text: `${SERVER}metrics: { a: 1\n`, problems: [["4:1", "a closing } is missing"]] },
  {
    title: "wrong indentation",
    text: `${SERVER}collectors:\n    tree: {}\n  status: {}\n`,
    problems: [["5:1", "wrong indentation"]],
  },
  { title: "no colon", text: `${SERVER}metrics\nstale_after: 5m\n`, problems: [["3:1", "not `key: value`"]] },
  { title: "second colon", text: `${SERVER}stale_after: a: b\n`, problems: [["3:14", "a second `: ` in one line"]] },
  { title: "text after quotes", text: auth(`"a" ${SECRET}`), problems: [["3:15", "unexpected text"]] },
  { title: "text that starts with @", text: auth(`@${SECRET}`), problems: [["3:11", "in quotes"]] },
  { title: "text that starts with *", text: auth(`*${SECRET}`), problems: [["3:11", "starts with * in quotes"]] },
  { title: "text that starts with !", text: auth(`!${SECRET}`), problems: [["3:11", "starts with ! in quotes"]] },
  {
    title: "text that starts with &",
    text: auth(`&a &${SECRET} b`),
    problems: [["3:14", "starts with & in quotes"]],
  },
  { title: "binary", text: "stale_after: !!binary aGk=\n", problems: [["1:14", "an unknown tag"]] },
  { title: "unknown escape", text: 'stale_after: "\\q"\n', problems: [["1:15", "write \\\\ for a backslash"]] },
  { title: "unknown directive", text: "%NOPE\nmetrics: {}\n", problems: [["2:1", "must be a YAML directive"]] },
  {
    title: "reference in { } without quotes",
    text: auth("{ api_key: ${KEY} }"),
    problems: [["3:23", "inside { } and [ ] put ${...} in quotes"]],
  },
  { title: "alias without anchor", text: "a: *b\nc: &b 1\n", problems: [["1:4", "a: an alias without an anchor"]] },
  { title: "alias of itself", text: "a: &a [*a]\n", problems: [["1:8", "a[0]: an alias without an anchor"]] },
  {
    title: "merge of a text",
    text: "a:\n  <<: b\n",
    problems: [["2:3", "a: the merge key << needs an alias of a map"]],
  },
  { title: "merge of a list of texts", text: "a: { <<: [b] }\n", problems: [["1:6", "the merge key <<"]] },
  { title: "map as a key", text: "a:\n  ? { b: 1 }\n  : c\n", problems: [["2:5", "a: a key must be plain text"]] },
  { title: "empty key", text: "a: 1\n: 2\n", problems: [["2:1", "a key must be plain text"]] },
  {
    title: "deep nesting",
    text: `a: ${"[".repeat(101)}${"]".repeat(101)}\n`,
    problems: [["1:103", "nested too deeply"]],
  },
  { title: "very deep nesting", text: "[".repeat(9_000), problems: [["1:", "nested too deeply"]] },
  {
    title: "aliases that multiply",
    text: ["a: &a [x, x, x, x, x, x, x, x, x]", ..."bcdefgh"].reduce(
      (text, key) => `${text}\n${key}: &${key} [${Array.from({ length: 9 }, () => `*${previous(key)}`).join(", ")}]`,
    ),
    problems: [["1:", "more than 100000 values, counting aliases"]],
  },
  {
    title: "two faults of syntax, of which the second one ends the parser",
    text: `metrics: {}\nmetrics: {}\ncollectors:\n\ttree: {}\n`,
    problems: [["4:1", "a tab"]],
  },
];

function previous(letter: string): string {
  return String.fromCharCode(letter.charCodeAt(0) - 1);
}
