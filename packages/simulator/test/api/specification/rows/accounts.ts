import { expect } from "vitest";
import { ACCESS_LEVELS } from "../../../../src/auth/accounts.ts";
import { CREDENTIALS } from "../../../support/running-service.ts";
import { does, gets, type Row, row, type Step, sees } from "../row.ts";
import type { Running } from "../running.ts";

const { username, password, restrictedApiKey } = CREDENTIALS;
/** Numbered by the directory. */
const KEY = { own: "401", restricted: "402" };
const FAILURE = { message: expect.any(String), request_id: expect.any(String) };

export const ACCOUNTS: readonly Row[] = [
  ...(["/users", "/experimental/users"] as const).map((path) =>
    row(path === "/users" ? "listUserInfo" : "listUsers", "the users", path, 200, {
      shows: expect.arrayContaining([expect.objectContaining({ id: "100" }), expect.objectContaining({ id: "110" })]),
    }),
  ),
  row("getUserInfo", "user info", "/users/110", 200, { shows: { id: "110" } }),
  row("getUser", "one user", "/experimental/users/110", 200, { shows: { id: "110" } }),
  ...(["/usergroups", "/experimental/usergroups"] as const).map((path) =>
    row(path === "/usergroups" ? "listUserGroupInfo" : "listUserGroups", "the user groups", path, 200, {
      shows: expect.arrayContaining([expect.objectContaining({ id: "200" })]),
    }),
  ),
  row("getUserGroupInfo", "user group info", "/usergroups/200", 200, { shows: { id: "200" } }),
  row("getUserGroup", "one user group", "/experimental/usergroups/200", 200, { shows: { id: "200" } }),
  row("getUserInfo", "a user that is not visible to the user", "/users/110", "404 NOT_FOUND", {
    bearer: restrictedApiKey,
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

export const API_KEYS: readonly Row[] = [
  ...[{ id: KEY.own }, { key: CREDENTIALS.apiKey }, { id: KEY.own, key: CREDENTIALS.apiKey }].map((body) =>
    row("findApiKey", `by ${Object.keys(body).join(" and ")}`, "/users/api-keys/find", 200, {
      body,
      shows: { id: KEY.own },
    }),
  ),
  row("findApiKey", "no such key", "/users/api-keys/find", "404 NOT_FOUND", { body: { id: "999999" } }),
  row("findApiKey", "neither id nor key", "/users/api-keys/find", "400 BAD_REQUEST", { body: {} }),
  ...["100", "me"].map((id) =>
    row("listApiKeys", `keys of the user ${id}`, `/users/${id}/api-keys`, 200, { shows: [{ id: KEY.own }] }),
  ),
  row("listApiKeys", "keys of another user", "/users/100/api-keys", "403 FORBIDDEN", { bearer: restrictedApiKey }),
  ...ACCESS_LEVELS.map((level) =>
    row("createApiKey", `name, description and access_level ${level}`, "/users/101/api-keys", 200, {
      body: { name: "new", description: "for a wall", access_level: level },
      shows: { id: expect.any(String), key: expect.any(String), access_level: level },
      after: [
        (it) => sees("/users/101/api-keys", expect.arrayContaining([expect.objectContaining({ name: "new" })]))(it),
      ],
    }),
  ),
  row("createApiKey", "no such access_level", "/users/me/api-keys", "400 BAD_REQUEST", {
    body: { name: "new", access_level: "ALL" },
  }),
  row("editApiKey", "name, description and access_level, none required", `/users/api-keys/${KEY.restricted}`, 204, {
    body: { access_level: "READ" },
    after: [sees("/users/101/api-keys", [{ id: KEY.restricted, name: "Configured key", access_level: "READ" }])],
  }),
  row("editApiKey", "no such access_level", `/users/api-keys/${KEY.restricted}`, "400 BAD_REQUEST", {
    body: { access_level: "ALL" },
  }),
  row("editApiKey", "a key of another user", `/users/api-keys/${KEY.own}`, "403 FORBIDDEN", {
    bearer: restrictedApiKey,
    body: {},
  }),
  row("deleteApiKey", "the key is refused from then on", `/users/api-keys/${KEY.restricted}`, 204, {
    after: [gets("/version", "401 AUTH_FAILED", restrictedApiKey)],
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
  row("requestPasswordReset", "starts the process; no auth", "/users/request-password", 204, {
    bearer: null,
    body: { username },
    after: [({ simulator }) => expect(simulator.passwordResets()).toMatchObject([{ username }])],
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
];
