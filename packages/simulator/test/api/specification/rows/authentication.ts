import { expect } from "vitest";
import { CREDENTIALS } from "../../../support/running-service.ts";
import { does, gets, pass, type Row, type Step } from "../row.ts";
import type { Running } from "../running.ts";

const MINUTE = 60_000;
const { username, password } = CREDENTIALS;

const signIn = does("POST", "/session", { username, password });
const token = (it: Running): string => (it.earlier.json as { token: string }).token;
const newToken = (it: Running): string => (it.received.json as { token: string }).token;

/** `active`: the account is not paused. */
function noor(active: boolean): Step {
  return (it) => {
    const user = it.simulator.installation.directory.userByLogin("noor.haddad");
    Object.assign(user ?? {}, { password, active });
  };
}

/** Sections Authentication and Authentication endpoints. */
export const AUTHENTICATION: readonly Row[] = [
  {
    operation: "openSession",
    rule: "carries the bearer token in the field token; no bearer needed",
    bearer: null,
    path: "/session",
    body: { username, password },
    answers: 200,
    shows: { token: expect.stringMatching(/^\S+$/) },
    after: [gets("/version", 200, newToken)],
  },
  {
    operation: "openSession",
    rule: "invalid credentials: wrong password",
    bearer: null,
    path: "/session",
    body: { username, password: "wrong" },
    answers: "401 LOGIN_FAILED",
  },
  {
    operation: "openSession",
    rule: "invalid credentials: unknown user",
    bearer: null,
    path: "/session",
    body: { username: "nobody", password },
    answers: "401 LOGIN_FAILED",
  },
  {
    operation: "openSession",
    rule: "invalid credentials: the account is paused",
    before: [noor(false)],
    bearer: null,
    path: "/session",
    body: { username: "noor.haddad", password },
    answers: "401 AUTH_FAILED",
  },
  {
    operation: "openSession",
    rule: "username and password are strings",
    bearer: null,
    path: "/session",
    body: { username, password: 5 },
    answers: "400 BAD_REQUEST",
  },
  {
    operation: "renewSession",
    rule: "a session is renewed",
    before: [signIn, pass(29 * MINUTE)],
    bearer: token,
    path: "/session",
    answers: 200,
    after: [pass(29 * MINUTE), gets("/version", 200, token), pass(MINUTE), gets("/version", "401 AUTH_FAILED", token)],
  },
  {
    operation: "renewSession",
    rule: "an API key has no session to renew",
    path: "/session",
    answers: "400 RENEW_FAILED",
  },
  {
    operation: "renewSession",
    rule: "a session that is over is refused",
    before: [signIn, pass(30 * MINUTE)],
    bearer: token,
    path: "/session",
    answers: "401 AUTH_FAILED",
  },
  {
    operation: "closeSession",
    rule: "a session is ended",
    before: [signIn],
    bearer: token,
    path: "/session",
    answers: 204,
    after: [gets("/version", "401 AUTH_FAILED", token)],
  },
  {
    operation: "closeSession",
    rule: "400 for sessions that were opened with an API key",
    path: "/session",
    answers: "400 LOGOUT_FAILED",
  },
  {
    operation: "getVersion",
    rule: "the prefix Bearer is mandatory, also when the value is an API key",
    authorization: CREDENTIALS.apiKey,
    path: "/version",
    answers: "401 AUTH_FAILED",
  },
  {
    operation: "getVersion",
    rule: "an unknown value is refused",
    bearer: "unknown",
    path: "/version",
    answers: "401 AUTH_FAILED",
    headers: { "www-authenticate": /^Bearer/ },
  },
  {
    operation: "getVersion",
    rule: "403 where the endpoint requires a user access right the account lacks",
    bearer: CREDENTIALS.limitedApiKey,
    path: "/version",
    answers: "403 FORBIDDEN",
  },
  {
    operation: "listSensors",
    rule: "the key of a paused account is refused",
    before: [does("POST", "/users/101/pause")],
    bearer: CREDENTIALS.restrictedApiKey,
    path: "/experimental/sensors",
    answers: "401 AUTH_FAILED",
  },
  {
    operation: "createApiKey",
    rule: "an API key created here is a bearer token",
    path: "/users/me/api-keys",
    body: { name: "wall", access_level: "READ" },
    answers: 200,
    after: [gets("/version", 200, (it) => (it.received.json as { key: string }).key)],
  },
];
