import { createRequire } from "node:module";
import * as conventions from "@opentelemetry/semantic-conventions/incubating";
import { expect, test } from "vitest";
import { PRTG_ATTRIBUTES } from "../../src/events/event.ts";
import {
  SCHEMA_URL,
  SEMCONV_ATTRIBUTES,
  SEMCONV_METRICS,
  SEMCONV_VALUES,
} from "../../src/otlp/semantic-conventions.ts";

const constants = Object.entries<unknown>(conventions);

function namesOf(prefix: string): ReadonlySet<string> {
  return new Set(constants.filter(([constant]) => constant.startsWith(prefix)).map(([, name]) => String(name)));
}

test("the schema is that of the package's version", () => {
  const { dependencies } = createRequire(import.meta.url)("../../package.json");
  const version = dependencies["@opentelemetry/semantic-conventions"];
  expect(SCHEMA_URL).toBe(`https://opentelemetry.io/schemas/${version}`);
});

test.each(Object.values(SEMCONV_ATTRIBUTES))("%s is an attribute of the conventions", (name) => {
  expect(namesOf("ATTR_")).toContain(name);
});

test.each(Object.values(SEMCONV_METRICS))("%s is a metric of the conventions", (name) => {
  expect(namesOf("METRIC_")).toContain(name);
});

test.each(
  Object.entries(SEMCONV_VALUES).flatMap(([attribute, values]) =>
    Object.values(values).map((value) => [attribute as keyof typeof SEMCONV_VALUES, value] as const),
  ),
)("%s may be %s", (attribute, value) => {
  const prefix = `${SEMCONV_ATTRIBUTES[attribute].toUpperCase().replaceAll(".", "_")}_VALUE_`;
  expect(namesOf(prefix)).toContain(value);
});

test("no attribute of ours has the name of a namespace, which backends of documents cannot store beside what is in it", () => {
  const names: readonly string[] = [...Object.values(PRTG_ATTRIBUTES), ...Object.values(SEMCONV_ATTRIBUTES)];
  expect(names.filter((name) => names.some((other) => other.startsWith(`${name}.`)))).toEqual([]);
});
