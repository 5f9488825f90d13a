import { describe, expect, test } from "vitest";
import { labelsSchema } from "../../src/config/labels-schema.ts";
import { LABELS_TO_CHOOSE } from "../../src/mapping/label-settings.ts";

describe("labels", () => {
  test.each([
    { keep: undefined, expected: undefined },
    { keep: "wide", expected: undefined },
    { keep: "ids", expected: [] },
    { keep: [], expected: [] },
    { keep: ["unit", "path"], expected: ["unit", "path"] },
    { keep: [...LABELS_TO_CHOOSE], expected: [...LABELS_TO_CHOOSE] },
  ])("keep $keep", ({ keep, expected }) => {
    const settings = labelsSchema.parse({ keep });
    expect(settings.keep).toEqual(expected && new Set(expected));
  });

  test("accept new names and labels from tags", () => {
    const given = {
      rename: { device: "host_name" },
      from_tags: [
        { tag: "site:*", label: "site" },
        { tag: "*@x", label: "mail" },
      ],
    };
    expect(labelsSchema.parse(given)).toEqual({
      keep: undefined,
      rename: new Map([["device", "host_name"]]),
      fromTags: [
        { label: "site", prefix: "site:", suffix: "" },
        { label: "mail", prefix: "", suffix: "@x" },
      ],
    });
  });

  test.each([
    { given: { keep: "narrow" }, path: "keep" },
    { given: { keep: ["sensor_id"] }, path: "keep" },
    { given: { rename: { sensor_id: "id" } }, path: "" },
    { given: { rename: { device: "host" } }, path: "rename.device" },
    { given: { rename: { device: "sensor" } }, path: "rename.device" },
    { given: { rename: { device: "job" } }, path: "rename.device" },
    { given: { rename: { device: "instance" } }, path: "rename.device" },
    { given: { rename: { device: "le" } }, path: "rename.device" },
    { given: { rename: { device: "quantile" } }, path: "rename.device" },
    { given: { rename: { device: "1st" } }, path: "rename.device" },
    { given: { rename: { device: "__name" } }, path: "rename.device" },
    { given: { rename: { device: "a", path: "a" } }, path: "rename" },
    { given: { from_tags: [{ tag: "site:", label: "site" }] }, path: "from_tags.0.tag" },
    { given: { from_tags: [{ tag: "*:*", label: "site" }] }, path: "from_tags.0.tag" },
    { given: { from_tags: [{ tag: "s:*", label: "status" }] }, path: "from_tags.0.label" },
    { given: { from_tags: [{ tag: "s:*" }] }, path: "from_tags.0.label" },
    { given: { rename: { device: "a" }, from_tags: [{ tag: "s:*", label: "a" }] }, path: "from_tags.0.label" },
    {
      given: {
        from_tags: [
          { tag: "s:*", label: "a" },
          { tag: "t:*", label: "a" },
        ],
      },
      path: "from_tags.1.label",
    },
    { given: { colour: "red" }, path: "" },
  ])("reject $given at $path", ({ given, path }) => {
    const { error } = labelsSchema.safeParse(given);
    expect(error?.issues.map((issue) => issue.path.join("."))[0]?.startsWith(path) ?? false).toBe(true);
    if (path !== "") expect(error?.issues.map((issue) => issue.path.join("."))).toContain(path);
  });
});
