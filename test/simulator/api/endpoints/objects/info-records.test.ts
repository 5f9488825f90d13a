import { describe, expect, test } from "vitest";
import type { SpellingName } from "../../../../../src/simulator/records/spelling.ts";
import { query, startService } from "../../../support/running-service.ts";

const SPELLINGS: readonly SpellingName[] = ["specification", "live"];

describe.each(SPELLINGS)("%s", (spelling) => {
  test.each([
    ["probes", "1"],
    ["groups", "11"],
    ["devices", "200"],
    ["sensors", "1001"],
    ["channels", "1001.2"],
    ["channels", "1000.-4"],
  ])("GET /%s/%s/overview is the record of the deprecated list", async (kind, id) => {
    const { send } = await startService({ spelling });
    const listed = (await send(`/${kind}${query({ filter: `id = "${id}"` })}`)).json as unknown[];
    const { json, status } = await send(`/${kind}/${id}/overview`);
    expect(status).toBe(200);
    expect(json).toMatchObject({ id });
    expect([json]).toEqual(listed);
  });

  test("the root is a group", async () => {
    const { send } = await startService({ spelling });
    expect((await send("/groups/0/overview")).json).toMatchObject({ id: "0", name: "Root", path: [{ id: "0" }] });
  });

  test.each([
    "/probes/10",
    "/groups/1",
    "/devices/1000",
    "/sensors/100",
    "/sensors/1000.0",
    "/channels/1000",
    "/devices/x",
  ])("GET %s/overview is not found", async (path) => {
    const { send } = await startService({ spelling });
    expect(await send(`${path}/overview`)).toMatchObject({ status: 404, json: { code: "NOT_FOUND" } });
  });

  test("what the user does not see is not found either", async () => {
    const { send } = await startService({ spelling });
    expect((await send("/devices/100/overview", { bearer: "RESTRICTED" })).status).toBe(200);
    expect((await send("/devices/101/overview", { bearer: "RESTRICTED" })).status).toBe(404);
  });
});
