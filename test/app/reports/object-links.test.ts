import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { objectLinks } from "../../../src/app/reports/object-links.ts";
import { LINKED_KINDS, linksSchema } from "../../../src/config/links-schema.ts";

type LinkedNode = Parameters<typeof objectLinks>[2];

const SENSOR: LinkedNode = {
  id: "2005",
  kind: "sensor",
  name: "Ping & more",
  path: "P/Web/web 1/Ping & more",
  probe: "P",
  group: "Web",
  device: "web 1",
  deviceId: "40",
  host: "10.0.0.1",
};
const DEVICE: LinkedNode = {
  ...SENSOR,
  id: "40",
  kind: "device",
  name: "web 1",
  path: "P/Web/web 1",
  device: "",
  deviceId: "",
};

function urls(url: string, node: LinkedNode, on?: string[]): string[] {
  const templates = linksSchema.parse([{ name: "x", url, ...(on !== undefined && { on }) }]);
  return objectLinks(templates, "hq", node).map((link) => link.url);
}

describe("links of an object", () => {
  test("contain its values, encoded for URLs", () => {
    expect(urls("https://g.example.com/d/x?s={server}&d={device}&n={sensor}&p={path}#{id}", SENSOR)).toEqual([
      "https://g.example.com/d/x?s=hq&d=web%201&n=Ping%20%26%20more&p=P%2FWeb%2Fweb%201%2FPing%20%26%20more#2005",
    ]);
  });

  test("name a device by itself", () => {
    expect(urls("http://w/{kind}/{device}/{device_id}/{name}/{host}", DEVICE)).toEqual([
      "http://w/device/web%201/40/web%201/10.0.0.1",
    ]);
    expect(urls("http://w/{device_id}", SENSOR)).toEqual(["http://w/40"]);
  });

  test("are missing if the object lacks a value", () => {
    expect(urls("http://w/{sensor}", DEVICE)).toEqual([]);
    expect(urls("http://w/{host}", { ...DEVICE, host: undefined })).toEqual([]);
    expect(urls("http://w/{group}", { ...SENSOR, group: "" })).toEqual([]);
  });

  test("belong to the chosen kinds of objects", () => {
    expect(urls("http://w/", SENSOR, ["device"])).toEqual([]);
    expect(urls("http://w/", DEVICE, ["device"])).toEqual(["http://w/"]);
  });

  test("keep the order of the configuration", () => {
    const templates = linksSchema.parse([
      { name: "B", url: "http://b/" },
      { name: "A", url: "http://a/" },
    ]);
    expect(objectLinks(templates, "hq", SENSOR).map(({ name }) => name)).toEqual(["B", "A"]);
  });

  test("lead to the configured host with any names", () => {
    const [template] = linksSchema.parse([
      { name: "x", url: "https://w.example.com/a/{name}?q={path}&h={host}#{probe}" },
    ]);
    fc.assert(
      fc.property(
        fc.string({ unit: "binary", minLength: 1 }),
        fc.string({ unit: "grapheme", minLength: 1 }),
        fc.constantFrom(...LINKED_KINDS),
        (name, other, kind) => {
          const node = { ...SENSOR, kind, name, path: other, host: other, probe: name };
          const [link] = objectLinks(template === undefined ? [] : [template], "hq", node);
          const url = new URL(link?.url ?? "");
          expect(url.origin).toBe("https://w.example.com");
          expect([...url.searchParams.keys()]).toEqual(["q", "h"]);
          expect(url.searchParams.get("q")).toBe(other.toWellFormed());
        },
      ),
    );
  });
});

describe("web.links", () => {
  test.each([
    ["javascript:alert(1)", "does not begin"],
    ["//w.example.com/", "does not begin"],
    ["{host}/x", "does not begin"],
    ["https:///x", "does not begin"],
    ["https://w/{devcie}", "unknown placeholder {devcie}. Known: server, id"],
    ["https://w/{}", "unknown placeholder {}"],
    ["https://w/{device", "a brace without its counterpart"],
    ["https://w/device}", "a brace without its counterpart"],
    ["https://user:secret@w/", "a user or password"],
    ["https://w w/", "is not a URL"],
    [`https://w/${"x".repeat(2_000)}`, "longer than 2000"],
  ])("refuses %s", (url, fault) => {
    const { error } = linksSchema.safeParse([{ name: "x", url }]);
    expect(error?.issues).toMatchObject([
      {
        path: [0, "url"],
        message: expect.stringContaining("an http or https URL"),
        params: { fault: expect.stringContaining(fault) },
      },
    ]);
  });

  test("refuses too many links, unknown kinds and none", () => {
    const link = { name: "x", url: "https://w/" };
    expect(linksSchema.safeParse(Array.from({ length: 21 }, () => link)).success).toBe(false);
    expect(linksSchema.safeParse([{ ...link, on: ["channel"] }]).success).toBe(false);
    expect(linksSchema.safeParse([{ ...link, on: [] }]).success).toBe(false);
    expect(linksSchema.safeParse([{ ...link, name: " " }]).success).toBe(false);
  });
});
