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

test("the schema matches the version of the package", () => {
  const { dependencies } = createRequire(import.meta.url)("../../package.json");
  const version = dependencies["@opentelemetry/semantic-conventions"];
  expect(SCHEMA_URL).toBe(`https://opentelemetry.io/schemas/${version}`);
});

test.each(Object.values(SEMCONV_ATTRIBUTES))("the conventions contain the attribute %s", (name) => {
  expect(namesOf("ATTR_")).toContain(name);
});

test.each(Object.values(SEMCONV_METRICS))("the conventions contain the metric %s", (name) => {
  expect(namesOf("METRIC_")).toContain(name);
});

test.each(
  Object.entries(SEMCONV_VALUES).flatMap(([attribute, values]) =>
    Object.values(values).map((value) => [attribute as keyof typeof SEMCONV_VALUES, value] as const),
  ),
)("%s permits %s", (attribute, value) => {
  const prefix = `${SEMCONV_ATTRIBUTES[attribute].toUpperCase().replaceAll(".", "_")}_VALUE_`;
  expect(namesOf(prefix)).toContain(value);
});

test("no attribute name is also a namespace, which document stores reject", () => {
  const names: readonly string[] = [...Object.values(PRTG_ATTRIBUTES), ...Object.values(SEMCONV_ATTRIBUTES)];
  expect(names.filter((name) => names.some((other) => other.startsWith(`${name}.`)))).toEqual([]);
});
