import { expect } from "vitest";
import { ACCESS_LEVELS } from "../../../../src/auth/accounts.ts";
import { CREDENTIALS } from "../../../support/running-service.ts";
import { does, gets, type Row, type Step, sees } from "../row.ts";
import type { Running } from "../running.ts";

const { username, password, restrictedApiKey } = CREDENTIALS;
/** Numbered by the directory. */
const KEY = { own: "401", restricted: "402" };
const FAILURE = { message: expect.any(String), request_id: expect.any(String) };

export const ACCOUNTS: readonly Row[] = [
  ...(["/users", "/experimental/users"] as const).map(
    (path): Row => ({
      operation: path === "/users" ? "listUserInfo" : "listUsers",
      rule: "the users",
      path,
      answers: 200,
      shows: expect.arrayContaining([expect.objectContaining({ id: "100" }), expect.objectContaining({ id: "110" })]),
    }),
  ),
  { operation: "getUserInfo", rule: "user info", path: "/users/110", answers: 200, shows: { id: "110" } },
  { operation: "getUser", rule: "one user", path: "/experimental/users/110", answers: 200, shows: { id: "110" } },
  ...(["/usergroups", "/experimental/usergroups"] as const).map(
    (path): Row => ({
      operation: path === "/usergroups" ? "listUserGroupInfo" : "listUserGroups",
      rule: "the user groups",
      path,
      answers: 200,
      shows: expect.arrayContaining([expect.objectContaining({ id: "200" })]),
    }),
  ),
  {
    operation: "getUserGroupInfo",
    rule: "user group info",
    path: "/usergroups/200",
    answers: 200,
    shows: { id: "200" },
  },
  {
    operation: "getUserGroup",
    rule: "one user group",
    path: "/experimental/usergroups/200",
    answers: 200,
    shows: { id: "200" },
  },
  {
    operation: "getUserInfo",
    rule: "a user that is not visible to the user",
    bearer: restrictedApiKey,
    path: "/users/110",
    answers: "404 NOT_FOUND",
  },
  {
    operation: "pauseUser",
    rule: "pauses the account",
    path: "/users/101/pause",
    answers: 204,
    after: [gets("/experimental/sensors", "401 AUTH_FAILED", restrictedApiKey), sees("/users/101", { active: false })],
  },
  {
    operation: "pauseUser",
    rule: "the system administrator account cannot be paused",
    path: "/users/100/pause",
    answers: "400 PAUSE_ADMIN",
  },
  {
    operation: "pauseUser",
    rule: "impossible for the current status",
    before: [does("POST", "/users/101/pause")],
    path: "/users/101/pause",
    answers: "400 WRONG_NODE_STATUS",
  },
  {
    operation: "pauseUser",
    rule: "a user access right that the account lacks",
    bearer: restrictedApiKey,
    path: "/users/101/pause",
    answers: "403 FORBIDDEN",
  },
  {
    operation: "resumeUser",
    rule: "resumes the account",
    before: [does("POST", "/users/101/pause")],
    path: "/users/101/resume",
    answers: 204,
    after: [gets("/experimental/sensors", 200, restrictedApiKey)],
  },
  {
    operation: "resumeUser",
    rule: "impossible for the current status",
    path: "/users/101/resume",
    answers: "400 WRONG_NODE_STATUS",
  },
  {
    operation: "pauseUsers",
    rule: "answers 200 even when accounts fail",
    path: "/users/pause",
    body: { filter: 'id = "100" or id = "101"' },
    answers: 200,
    shows: [
      { node: { id: "100", type: "REFERENCED_USER" }, failure: { code: "PAUSE_ADMIN", ...FAILURE } },
      { node: { id: "101", type: "REFERENCED_USER" }, failure: null },
    ],
    after: [sees("/users/101", { active: false })],
  },
  {
    operation: "resumeUsers",
    rule: "answers 200 even when accounts fail",
    before: [does("POST", "/users/101/pause")],
    path: "/users/resume",
    body: { filter: 'id = "100" or id = "101"' },
    answers: 200,
    shows: [
      { node: { id: "100" }, failure: { code: "WRONG_NODE_STATUS", ...FAILURE } },
      { node: { id: "101" }, failure: null },
    ],
    after: [sees("/users/101", { active: true })],
  },
];

export const API_KEYS: readonly Row[] = [
  ...[{ id: KEY.own }, { key: CREDENTIALS.apiKey }, { id: KEY.own, key: CREDENTIALS.apiKey }].map(
    (body): Row => ({
      operation: "findApiKey",
      rule: `by ${Object.keys(body).join(" and ")}`,
      path: "/users/api-keys/find",
      body,
      answers: 200,
      shows: { id: KEY.own },
    }),
  ),
  {
    operation: "findApiKey",
    rule: "no such key",
    path: "/users/api-keys/find",
    body: { id: "999999" },
    answers: "404 NOT_FOUND",
  },
  {
    operation: "findApiKey",
    rule: "neither id nor key",
    path: "/users/api-keys/find",
    body: {},
    answers: "400 BAD_REQUEST",
  },
  ...["100", "me"].map(
    (id): Row => ({
      operation: "listApiKeys",
      rule: `keys of the user ${id}`,
      path: `/users/${id}/api-keys`,
      answers: 200,
      shows: [{ id: KEY.own }],
    }),
  ),
  {
    operation: "listApiKeys",
    rule: "keys of another user",
    bearer: restrictedApiKey,
    path: "/users/100/api-keys",
    answers: "403 FORBIDDEN",
  },
  ...ACCESS_LEVELS.map(
    (level): Row => ({
      operation: "createApiKey",
      rule: `name, description and access_level ${level}`,
      path: "/users/101/api-keys",
      body: { name: "new", description: "for a wall", access_level: level },
      answers: 200,
      shows: { id: expect.any(String), key: expect.any(String), access_level: level },
      after: [
        (it) => sees("/users/101/api-keys", expect.arrayContaining([expect.objectContaining({ name: "new" })]))(it),
      ],
    }),
  ),
  {
    operation: "createApiKey",
    rule: "no such access_level",
    path: "/users/me/api-keys",
    body: { name: "new", access_level: "ALL" },
    answers: "400 BAD_REQUEST",
  },
  {
    operation: "editApiKey",
    rule: "name, description and access_level, none required",
    path: `/users/api-keys/${KEY.restricted}`,
    body: { access_level: "READ" },
    answers: 204,
    after: [sees("/users/101/api-keys", [{ id: KEY.restricted, name: "Configured key", access_level: "READ" }])],
  },
  {
    operation: "editApiKey",
    rule: "no such access_level",
    path: `/users/api-keys/${KEY.restricted}`,
    body: { access_level: "ALL" },
    answers: "400 BAD_REQUEST",
  },
  {
    operation: "editApiKey",
    rule: "a key of another user",
    bearer: restrictedApiKey,
    path: `/users/api-keys/${KEY.own}`,
    body: {},
    answers: "403 FORBIDDEN",
  },
  {
    operation: "deleteApiKey",
    rule: "the key is refused from then on",
    path: `/users/api-keys/${KEY.restricted}`,
    answers: 204,
    after: [gets("/version", "401 AUTH_FAILED", restrictedApiKey)],
  },
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
  {
    operation: "requestPasswordReset",
    rule: "starts the process; no auth",
    bearer: null,
    path: "/users/request-password",
    body: { username },
    answers: 204,
    after: [({ simulator }) => expect(simulator.passwordResets()).toMatchObject([{ username }])],
  },
  {
    operation: "resetPassword",
    rule: "sets a new password with the reset token; no auth",
    before: [request],
    bearer: null,
    path: "/users/reset-password",
    body: reset({}),
    answers: 204,
    after: [signsIn(NEW_PASSWORD, 200), signsIn(password, 401)],
  },
  {
    operation: "resetPassword",
    rule: "password reset token invalid",
    before: [request],
    bearer: null,
    path: "/users/reset-password",
    body: reset({ token: "wrong" }),
    answers: "400 INVALID_PASSWORD_RESET_TOKEN",
    after: [signsIn(password, 200)],
  },
  {
    operation: "resetPassword",
    rule: "password does not meet complexity requirements",
    before: [request],
    bearer: null,
    path: "/users/reset-password",
    body: reset({ password: "short" }),
    answers: "400 LOW_PASSWORD_COMPLEXITY",
    after: [signsIn(password, 200)],
  },
];
