import { beforeEach, expect, test } from "vitest";
import { type GeneratedTree, startGeneratedTree } from "../support/generated-tree.ts";

let changing: GeneratedTree;
beforeEach(async () => {
  changing = await startGeneratedTree({ spelling: "live" });
});

function scan(query: string, body?: unknown) {
  return changing.post(`/experimental/devices/${changing.device.id}/metascan${query}`, body);
}

test("a scan finds disks and describes each", async () => {
  const { status, json } = await scan("?kind=snmplinuxdiskfree", {});
  expect(status).toBe(201);
  const items = json as { readonly disk: string; readonly info: { readonly disk: string } }[];
  expect(items.length).toBeGreaterThan(0);
  for (const { disk, info } of items) expect(info).toEqual({ disk, type: expect.any(String) });
});

test("a scan accepts credentials", async () => {
  expect((await scan("?kind=snmplinuxdiskfree", { params: { username: "x" } })).status).toBe(201);
});

test.each<[what: string, query: string, body: unknown, message: RegExp]>([
  ["without a body", "?kind=snmplinuxdiskfree", undefined, /^EOF$/],
  ["of a kind that has nothing to choose", "?kind=ping", {}, /^sensor kind does not support metascan$/],
  ["of an unknown kind", "?kind=oracle", {}, /no kind of sensor oracle/],
  ["of no kind", "", {}, /no kind of sensor/],
  ["with the parameter of creations", "?kindid=snmplinuxdiskfree", {}, /no kind of sensor/],
  ["with a body that is no object", "?kind=snmplinuxdiskfree", [], /The body must be object/],
])("the server refuses a scan %s", async (_, query, body, message) => {
  expect(await scan(query, body)).toMatchObject({
    status: 400,
    json: { code: "BAD_REQUEST", message: expect.stringMatching(message) },
  });
});

test("the server refuses a scan of an unknown device", async () => {
  expect((await changing.post("/experimental/devices/999999/metascan?kind=ping", {})).status).toBe(404);
});
