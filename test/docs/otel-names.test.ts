import { expect, test } from "vitest";
import { MEANINGS, meaningOf, otelMetric } from "../../src/otlp/otel-family.ts";
import { deviceResource, otlpResource } from "../../src/otlp/resources.ts";
import { readPage } from "./support/pages.ts";

const PAGE = readPage("docs/otlp-names.md").prose;

/** Code-marked cells. */
function rowsOf(heading: string): string[][][] {
  const [, table = ""] = PAGE.split(`\n| ${heading} |`);
  const [, , ...rows] = table.split("\n\n", 1)[0]?.split("\n") ?? [];
  return rows.map((row) =>
    row
      .slice(1, -1)
      .split("|")
      .map((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, code = ""]) => code)),
  );
}

const METRICS = rowsOf("in a scrape").map(([[family = ""] = [], [name = ""] = [], [unit = ""] = [], attributes]) => {
  return { family, name, unit, attributes };
});

test.each(METRICS)("the page has the name of $family", ({ family, name, unit, attributes }) => {
  expect(otelMetric(family)).toEqual({ name, unit });
  const meaning = meaningOf(family);
  if (meaning !== undefined) expect(attributes).toEqual(meaning.attributes.map((attribute) => attribute.name));
});

test("the page has all metrics with a meaning", () => {
  expect(METRICS.map(({ family }) => family)).toEqual(expect.arrayContaining(Object.keys(MEANINGS)));
});

test("the page has all attributes of a device", () => {
  const facts = { id: "7", name: "Switch", host: "10.0.0.1", probe: "Probe", group: "Net", path: "Probe/Net/Switch" };
  const told = Object.keys(
    deviceResource(otlpResource({}, { version: "1", instanceId: "one" }), "hq", facts).attributes,
  );
  const named = rowsOf("attribute of the resource").flatMap(([attributes = []]) => attributes);
  expect(named.filter((name) => !name.startsWith("otlp.")).sort()).toEqual(told.sort());
});
