import { expect, test } from "vitest";
import { SECRET } from "../support.ts";
import { linesOf, loadRules } from "./support.ts";

const MATCH = "match: { channel: '/a/' }";

/** A misplaced reference to a secret's variable must not put the secret into the log. */
test.each([
  ["match.channel", "match: { channel: '/?${KEY}/' }, name: prtg_x, help: X."],
  ["match.channel", "match: { channel: '/(?<x>a)(?<x>${KEY})/' }, name: prtg_x, help: X."],
  ["match.channel[1]", "match: { channel: [a, '/[z-${KEY}]/'] }, name: prtg_x, help: X."],
  ["name", `${MATCH}, name: '\${KEY}!', help: X.`],
  ["labels.a", `${MATCH}, name: prtg_x, help: X., labels: { a: '$9\${KEY}' }`],
  ["unit", `${MATCH}, name: prtg_x, help: X., unit: '\${KEY}'`],
])("errors in %s do not repeat the value of a variable", async (key, rule) => {
  const lines = await linesOf(loadRules(`rules:\n  - { ${rule} }\n`, { KEY: SECRET }));
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain(`rules[0].${key}: expected `);
  expect(lines[0]).toContain("but the value of KEY is different");
  expect(lines[0]).not.toContain(SECRET);
});
