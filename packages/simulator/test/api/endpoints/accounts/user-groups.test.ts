import { describe, expect, test } from "vitest";
import { query, startService } from "../../../support/running-service.ts";

describe("user groups", () => {
  test.each(["/usergroups", "/experimental/usergroups"])("appear in the list GET %s", async (path) => {
    const { send, ids } = await startService();
    expect(await ids(path)).toEqual(["200", "201", "202", "203", "204", "211"]);
    const { headers } = await send(`${path}?limit=1`);
    expect([headers.get("x-total-count"), headers.get("x-result-count")]).toEqual(["6", "1"]);
  });

  test.each([
    ["admingroup = true", "200"],
    ["activedirectory = true", "204"],
    ['name matches "IT"', "204"],
    ['name = "Branch IT"', "204"],
    ["type != usergroup", ""],
  ])("filter %s finds %s", async (filter, found) => {
    const { ids } = await startService();
    expect((await ids(`/usergroups${query({ filter })}`)).join(" ")).toBe(found);
  });

  test("have the order of sort_by", async () => {
    const { ids } = await startService();
    expect(await ids(`/usergroups${query({ sort_by: "-admingroup,name" })}`)).toEqual(
      "200 204 203 202 201 211".split(" "),
    );
  });

  test("come in both forms", async () => {
    const { send } = await startService({ spelling: "specification" });
    expect((await send("/usergroups/200")).json).toEqual({
      id: "200",
      name: "PRTG Administrators",
      href: "/api/v2/usergroups/200",
      administrators: true,
      active_directory: false,
      members: [expect.objectContaining({ id: "100" }), expect.objectContaining({ id: "110" })],
    });
    expect((await send("/experimental/usergroups/204?include=all_sections")).json).toEqual({
      id: "204",
      name: "Branch IT",
      href: "/api/v2/experimental/usergroups/204",
      type: "usergroup",
      kind: "usergroup",
      basic: { name: "Branch IT" },
      usergroup: { admingroup: false, activedirectory: true },
      members: { users: ["115"] },
    });
  });

  test("stay hidden from users outside the group, and so do their members", async () => {
    const { send, ids } = await startService();
    const bearer = "RESTRICTED";
    expect(await ids("/usergroups", { bearer })).toEqual(["211"]);
    expect((await send("/usergroups/200", { bearer })).status).toBe(404);
    const limited = await send("/usergroups/201", { bearer: "LIMITED" });
    expect(limited.json).toMatchObject({ members: [{ id: "102" }] });
  });
});
