import { describe, expect, test } from "vitest";
import { z } from "zod";
import { typeOf, yaml } from "../../scripts/generate/configuration-values.ts";
import { editorSchema } from "../../scripts/generate/editor-schema.ts";
import type { JsonSchema } from "../../src/config/schema.ts";

describe("typeOf", () => {
  const label = z.string().meta({ title: "label name" });
  const colour = z.enum(["red", "green"]);

  test.each<[string, z.ZodType]>([
    ["text", z.string()],
    ["`true` or `false`", z.boolean()],
    ["`true`", z.literal(true)],
    ["number", z.number()],
    ["whole number, 1 to 5", z.int().min(1).max(5)],
    ["label name", label],
    ["`red` or `green`", colour],
    ["list of texts", z.array(z.string())],
    ["list of label names", z.array(label)],
    ["list of `red` or `green`", z.array(colour)],
    ["list of maps", z.array(z.strictObject({ a: label }))],
    ["map", z.strictObject({ a: label })],
    ["map of label names", z.record(z.string(), label)],
    ["map from `red` or `green` to label name", z.partialRecord(colour, label)],
    ["`wide`, or list of `red` or `green`", z.union([z.enum(["wide"]), z.array(colour)])],
    ["text, or number", z.union([z.string(), z.number()])],
  ])("%s", (name, schema) => {
    expect(typeOf(z.toJSONSchema(schema, { io: "input", target: "draft-7" }))).toBe(name);
  });
});

test.each([
  ["wide", "wide"],
  [5, "5"],
  ["5", '"5"'],
  [["ping", "base-units"], "[ping, base-units]"],
  [[], "[]"],
  [{}, "{}"],
  [{ direction: "$<direction>" }, "{ direction: $<direction> }"],
  ["site:*", "site:*"],
  ["* * *", '"* * *"'],
])("yaml writes %j as %s", (value, text) => {
  expect(yaml(value)).toBe(text);
});

describe("JSON Schema for editors", () => {
  const schema = z.fromJSONSchema(editorSchema() as z.core.JSONSchema.JSONSchema);
  const accepts = (value: unknown) => schema.safeParse(value).success;

  test.each<[string, JsonSchema]>([
    ["a reference for a whole value", { labels: { keep: "${KEEP}" } }],
    ["a reference in a list that may be something else", { labels: { keep: ["device", "${KEEP}"] } }],
    ["a reference in a map", { labels: { rename: { device: "${NAME}" } } }],
    ["a reference for a text with several patterns", { labels: { from_tags: [{ tag: "${TAG}", label: "${NAME}" }] } }],
    ["valid values", { labels: { keep: ["device"], rename: { device: "host_name" } } }],
  ])("takes %s", (_, value) => {
    expect(accepts(value)).toBe(true);
  });

  test.each<[string, JsonSchema]>([
    ["an unknown word", { labels: { keep: "narrow" } }],
    ["an unknown item", { labels: { keep: ["narrow"] } }],
    ["a reference for a map", { labels: { rename: "${NAMES}" } }],
    ["an invalid name", { labels: { rename: { device: "1a" } } }],
    ["a tag pattern without star", { labels: { from_tags: [{ tag: "a", label: "b" }] } }],
  ])("rejects %s", (_, value) => {
    expect(accepts(value)).toBe(false);
  });
});
