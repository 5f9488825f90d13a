import { describe, expect, test } from "vitest";
import { keyOf, outcome, post, USER } from "../../../support/accounts.ts";
import { query, startService } from "../../../support/running-service.ts";

const ALL = "100 101 102 110 111 112 113 114 115 116";

describe("list of users", () => {
  test.each(["/users", "/experimental/users"])("comes in pages by GET %s", async (path) => {
    const { send, ids } = await startService();
    expect((await ids(path)).join(" ")).toBe(ALL);
    const { headers } = await send(`${path}?limit=2&offset=1`);
    expect(headers.get("x-total-count")).toBe("10");
    expect(headers.get("x-result-count")).toBe("2");
    expect(headers.get("link")).toContain('limit=2&offset=3>; rel="next"');
  });

  test.each([
    ['loginname = "noor.haddad"', "111"],
    ['loginname matches "brandt"', "110"],
    ['email = "helpdesk@example.net"', "113"],
    ["active = false", "116"],
    ["status = pausedbyuser", "116"],
    ["usertype = readonly", "112 113 114"],
    ["usertype = administrator", "100"],
    ["admingroup = true", "100 110"],
    ["activedirectory = true", "115"],
    ['primarygroup = "202"', "111 112"],
    ["ticketmail = true and usertype = readwrite", "110 111 115 116"],
    ["type = user", ALL],
    ['name in ["Ada Brandt", "Noor Haddad"]', "110 111"],
    ['comment = "x"', ""],
  ])("filter %s finds %s", async (filter, found) => {
    const { ids } = await startService();
    for (const path of ["/users", "/experimental/users"]) {
      expect((await ids(path + query({ filter }))).join(" ")).toBe(found);
    }
  });

  test.each([
    ["-id", "116 115 114 113 112 111 110 102 101 100"],
    ["active,-loginname", "116 101 100 111 112 102 113 114 110 115"],
    ["usertype,name", "100 110 102 115 111 116 101 113 112 114"],
  ])("sort_by %s gives %s", async (sort_by, sorted) => {
    const { ids } = await startService();
    expect((await ids(`/users${query({ sort_by })}`)).join(" ")).toBe(sorted);
  });

  test.each([
    ["/users?filter=active %3D 1", "400 INVALID_FILTER"],
    ['/users?filter=descendants id %3D "100"', "400 INVALID_FILTER"],
    ["/experimental/users?include=path", "400 BAD_REQUEST"],
    ["/experimental/users/100?include=path", "400 BAD_REQUEST"],
    ["/users/me", "404 NOT_FOUND"],
  ])("refuses GET %s with %s", async (path, refusal) => {
    const { send } = await startService();
    expect(outcome(await send(path))).toBe(refusal);
  });

  test("shows a user without administrator rights only that user", async () => {
    const { send, ids } = await startService();
    const bearer = "RESTRICTED";
    for (const path of ["/users", "/experimental/users"]) {
      expect(await ids(path, { bearer })).toEqual([USER.restricted]);
      expect((await send(`${path}/${USER.restricted}`, { bearer })).status).toBe(200);
      expect((await send(`${path}/${USER.administrator}`, { bearer })).status).toBe(404);
    }
  });

  test("marks members of an administrator group as administrators", async () => {
    const service = await startService();
    expect((await service.ids("/users", { bearer: await keyOf(service, USER.ada) })).length).toBe(10);
  });
});

describe("single user", () => {
  test("is available as info record", async () => {
    const { send } = await startService();
    expect((await send(`/users/${USER.facility}`)).json).toEqual({
      id: "114",
      name: "Zoë O'Neil",
      href: "/api/v2/users/114",
      active: true,
      login_name: "facility",
      email: "facility@example.net",
      user_type: "readonly",
      administrator: false,
      acknowledge_alarms: true,
      ticket_mail: false,
      primary_group: {
        id: "203",
        type: "REFERENCED_USERGROUP",
        name: "Facility Management",
        href: "/api/v2/usergroups/203",
      },
      groups: [expect.objectContaining({ id: "203" })],
      last_login: "2026-03-06T17:55:10Z",
    });
  });

  test("is available as tree node, in both spellings", async () => {
    const live = await startService({ spelling: "live" });
    const node = { id: "116", name: "Piet de Vries", href: "/api/v2/experimental/users/116", kind: "user" };
    const path = "/experimental/users/116";
    expect((await live.send(path)).json).toEqual({
      ...node,
      type: "USER",
      basic: { name: "Piet de Vries", active: "0" },
      parent: expect.objectContaining({ id: "201" }),
      last_login: "2025-08-13T17:55:10Z",
    });
    const specified = await startService({ spelling: "specification" });
    const source = { id: "116", type: "REFERENCED_USER", name: "Piet de Vries", href: "/api/v2/users/116" };
    const own = { _inheritancesource: source, _inherited: false, _shadowed: null };
    expect((await specified.send(`${path}?include=*`)).json).toMatchObject({
      ...node,
      type: "user",
      basic: { name: "Piet de Vries", active: false, ...own },
      useraccount: { loginname: "p.devries", usertype: "readwrite", acknowledgealarms: true, ...own },
      usergroups: { primarygroup: "201", groups: ["201"], ...own },
    });
    const some = await specified.send(`${path}?include=usergroups`);
    expect(Object.keys(some.json as object)).toContain("usergroups");
    expect(Object.keys(some.json as object)).not.toContain("useraccount");
  });

  test("shows the time of the last login", async () => {
    const service = await startService();
    const { send, clock } = service;
    expect((await send("/users/100")).json).toMatchObject({ last_login: null });
    await clock.advance(60_000);
    await post(service, "/session", { username: "operator", password: "correct horse" }, null);
    expect((await send("/users/100")).json).toMatchObject({ last_login: "2026-03-12T17:56:10Z" });
  });
});
