import { expect } from "vitest";
import { CREDENTIALS } from "../../../support/running-service.ts";
import { does, finds, gets, ids, pass, query, type Row, row, type Step, sees } from "../row.ts";
import type { Running } from "../running.ts";
import { keyWith } from "./generic.ts";

const { username, password, restrictedApiKey } = CREDENTIALS;
const FAILURE = { message: expect.any(String), request_id: expect.any(String) };

const USERS = "100 101 102 110 111 112 113 114 115 116";
const LISTS = [
  ["listUserInfo", "getUserInfo", "/users"],
  ["listUsers", "getUser", "/experimental/users"],
] as const;

export const ACCOUNTS: readonly Row[] = [
  ...LISTS.flatMap(([list, get, path]) => [
    row(list, "the users", path, 200, { shows: ids(...USERS.split(" ")) }),
    row(get, "one user", `${path}/110`, 200, { shows: { id: "110" } }),
    finds(list, path, { filter: 'name in ["Ada Brandt", "Noor Haddad"]' }, "110 111"),
    row(list, "only the own user without administrator rights", path, 200, {
      bearer: restrictedApiKey,
      shows: ids("101"),
    }),
    row(get, "the own user without administrator rights", `${path}/101`, 200, { bearer: restrictedApiKey }),
    row(get, "a user that is not visible to the user", `${path}/110`, "404 NOT_FOUND", { bearer: restrictedApiKey }),
  ]),
  row("listUserInfo", "all users for a member of an administrator group", "/users", 200, {
    bearer: keyWith("FULL"),
    shows: ids(...USERS.split(" ")),
  }),
  ...(
    [
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
      ["type = user", USERS],
      ['comment = "x"', ""],
    ] as const
  ).map(([filter, found]) => finds("listUserInfo", "/users", { filter }, found)),
  finds("listUserInfo", "/users", { sort_by: "active,-loginname" }, "116 101 100 111 112 102 113 114 110 115"),
  finds("listUserInfo", "/users", { sort_by: "usertype,name" }, "100 110 102 115 111 116 101 113 112 114"),
  row("listUserInfo", "a value of another type", `/users${query({ filter: "active = 1" })}`, "400 INVALID_FILTER"),
  row(
    "listUserInfo",
    "users are no tree",
    `/users${query({ filter: 'descendants id = "100"' })}`,
    "400 INVALID_FILTER",
  ),
  row("listUsers", "a section of tree nodes", "/experimental/users?include=path", "400 BAD_REQUEST"),
  row("getUser", "a section of tree nodes", "/experimental/users/100?include=path", "400 BAD_REQUEST"),
  row("getUserInfo", "me is no user here", "/users/me", "404 NOT_FOUND"),
  row("getUserInfo", "the info record of a user", "/users/114", 200, {
    spelling: "live",
    shows: {
      ...{ id: "114", name: "Zoë O'Neil", href: "/api/v2/users/114", active: true, login_name: "facility" },
      ...{ email: "facility@example.net", user_type: "readonly", administrator: false, acknowledge_alarms: true },
      primary_group: { id: "203", type: "REFERENCED_USERGROUP", name: "Facility Management" },
      ...{ ticket_mail: false, groups: ids("203"), last_login: "2026-03-06T17:55:10Z" },
    },
  }),
  row("getUserInfo", "the time of the last login", "/users/100", 200, {
    spelling: "live",
    before: [
      sees("/users/100", { last_login: null }),
      pass(60_000),
      does("POST", "/session", { username, password }),
      pass(60_000),
    ],
    shows: { last_login: "2026-03-12T17:56:10Z" },
  }),
  row("getUser", "the tree node of a user on live servers", "/experimental/users/116", 200, {
    spelling: "live",
    shows: {
      ...{ id: "116", name: "Piet de Vries", href: "/api/v2/experimental/users/116", kind: "user", type: "USER" },
      basic: { name: "Piet de Vries", active: "0" },
      ...{ parent: { id: "201" }, last_login: "2025-08-13T17:55:10Z" },
    },
  }),
  row("getUser", "all sections of a user with their inheritance", "/experimental/users/116?include=*", 200, {
    shows: {
      ...{ id: "116", kind: "user", type: "user" },
      basic: { active: false, _inheritancesource: { id: "116", type: "REFERENCED_USER" }, _inherited: false },
      useraccount: { loginname: "p.devries", usertype: "readwrite", acknowledgealarms: true, _shadowed: null },
      usergroups: { primarygroup: "201", groups: ["201"], _shadowed: null },
    },
  }),
  row("getUser", "an individual section", "/experimental/users/116?include=usergroups", 200, {
    shows: expect.toSatisfy((user: object) => "usergroups" in user && !("useraccount" in user)),
  }),
  ...(["/usergroups", "/experimental/usergroups"] as const).map((path) =>
    row(path === "/usergroups" ? "listUserGroupInfo" : "listUserGroups", "the user groups", path, 200, {
      shows: ids("200", "201", "202", "203", "204", "211"),
    }),
  ),
  ...(
    [
      [{ filter: "admingroup = true" }, "200"],
      [{ filter: "activedirectory = true" }, "204"],
      [{ filter: 'name = "Branch IT"' }, "204"],
      [{ filter: "type != usergroup" }, ""],
      [{ sort_by: "-admingroup,name" }, "200 204 203 202 201 211"],
    ] as const
  ).map(([parameters, found]) => finds("listUserGroupInfo", "/usergroups", parameters, found)),
  finds("listUserGroupInfo", "/usergroups", { filter: 'name matches "IT"' }, "204", { spelling: "live" }),
  row("getUserGroupInfo", "user group info with its members", "/usergroups/200", 200, {
    shows: {
      ...{ id: "200", name: "PRTG Administrators", href: "/api/v2/usergroups/200", administrators: true },
      ...{ active_directory: false, members: ids("100", "110") },
    },
  }),
  row("getUserGroup", "one user group", "/experimental/usergroups/200", 200, { shows: { id: "200" } }),
  row("getUserGroup", "one user group with all sections", "/experimental/usergroups/204?include=all_sections", 200, {
    shows: {
      ...{ id: "204", name: "Branch IT", href: "/api/v2/experimental/usergroups/204", type: "usergroup" },
      ...{ kind: "usergroup", basic: { name: "Branch IT" }, members: { users: ["115"] } },
      usergroup: { admingroup: false, activedirectory: true },
    },
  }),
  row("listUserGroupInfo", "only the own groups without administrator rights", "/usergroups", 200, {
    bearer: restrictedApiKey,
    shows: ids("211"),
  }),
  row("getUserGroupInfo", "a group that is not visible to the user", "/usergroups/200", "404 NOT_FOUND", {
    bearer: restrictedApiKey,
  }),
  row("getUserGroupInfo", "only visible members", "/usergroups/201", 200, {
    bearer: CREDENTIALS.limitedApiKey,
    shows: { members: ids("102") },
  }),
  row("pauseUser", "pauses the account", "/users/101/pause", 204, {
    after: [gets("/experimental/sensors", "401 AUTH_FAILED", restrictedApiKey), sees("/users/101", { active: false })],
  }),
  row("pauseUser", "the system administrator account cannot be paused", "/users/100/pause", "400 PAUSE_ADMIN"),
  row("pauseUser", "impossible for the current status", "/users/101/pause", "400 WRONG_NODE_STATUS", {
    before: [does("POST", "/users/101/pause")],
  }),
  row("pauseUser", "a user access right that the account lacks", "/users/101/pause", "403 FORBIDDEN", {
    bearer: restrictedApiKey,
  }),
  row("resumeUser", "resumes the account", "/users/101/resume", 204, {
    before: [does("POST", "/users/101/pause")],
    after: [gets("/experimental/sensors", 200, restrictedApiKey)],
  }),
  row("resumeUser", "impossible for the current status", "/users/101/resume", "400 WRONG_NODE_STATUS"),
  row("pauseUsers", "answers 200 even when accounts fail", "/users/pause", 200, {
    body: { filter: 'id = "100" or id = "101"' },
    shows: [
      { node: { id: "100", type: "REFERENCED_USER" }, failure: { code: "PAUSE_ADMIN", ...FAILURE } },
      { node: { id: "101", type: "REFERENCED_USER" }, failure: null },
    ],
    after: [sees("/users/101", { active: false })],
  }),
  row("resumeUsers", "answers 200 even when accounts fail", "/users/resume", 200, {
    before: [does("POST", "/users/101/pause")],
    body: { filter: 'id = "100" or id = "101"' },
    shows: [
      { node: { id: "100" }, failure: { code: "WRONG_NODE_STATUS", ...FAILURE } },
      { node: { id: "101" }, failure: null },
    ],
    after: [sees("/users/101", { active: true })],
  }),
];

const NEW_PASSWORD = "New Secret 2026";
const request = does("POST", "/users/request-password", { username });

function reset(changes: object): (it: Running) => object {
  return ({ simulator }) => ({
    ...{ username, password: NEW_PASSWORD, token: simulator.passwordResets().at(-1)?.token },
    ...changes,
  });
}

function signsIn(word: string, status: number): Step {
  return async (it) => {
    const body = { username, password: word };
    expect((await it.send("POST", "/session", { bearer: null, body })).status).toBe(status);
  };
}

export const PASSWORDS: readonly Row[] = [
  ...["nobody", "", "BRANCH\\kowalska", "p.devries"].map((name) =>
    row("requestPasswordReset", `does not reveal which users can have one: ${name}`, "/users/request-password", 204, {
      bearer: null,
      body: { username: name },
      after: [({ simulator }) => expect(simulator.passwordResets()).toEqual([])],
    }),
  ),
  row("requestPasswordReset", "starts the process; no auth", "/users/request-password", 204, {
    bearer: null,
    body: { username },
    after: [
      ({ simulator, clock }) =>
        expect(simulator.passwordResets()).toEqual([
          {
            ...{ username, email: "operator@example.net", token: expect.stringMatching(/^[0-9a-f]{40}$/) },
            ...{ requestedAt: clock.now(), expiresAt: clock.now() + 30 * 60_000 },
          },
        ]),
    ],
  }),
  row("resetPassword", "sets a new password with the reset token; no auth", "/users/reset-password", 204, {
    before: [request],
    bearer: null,
    body: reset({}),
    after: [signsIn(NEW_PASSWORD, 200), signsIn(password, 401)],
  }),
  row("resetPassword", "password reset token invalid", "/users/reset-password", "400 INVALID_PASSWORD_RESET_TOKEN", {
    before: [request],
    bearer: null,
    body: reset({ token: "wrong" }),
    after: [signsIn(password, 200)],
  }),
  row(
    "resetPassword",
    "password does not meet complexity requirements",
    "/users/reset-password",
    "400 LOW_PASSWORD_COMPLEXITY",
    { before: [request], bearer: null, body: reset({ password: "short" }), after: [signsIn(password, 200)] },
  ),
  row(
    "resetPassword",
    "the message says what a password needs",
    "/users/reset-password",
    "400 LOW_PASSWORD_COMPLEXITY",
    {
      ...{ before: [request], bearer: null, body: reset({ password: "password" }) },
      shows: { message: expect.stringContaining("capital letter") },
    },
  ),
];
