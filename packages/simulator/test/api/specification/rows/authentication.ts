import { expect } from "vitest";
import { CREDENTIALS } from "../../../support/running-service.ts";
import { does, gets, pass, type Row, row, type Step } from "../row.ts";
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
  row("openSession", "carries the bearer token in the field token; no bearer needed", "/session", 200, {
    bearer: null,
    body: { username, password },
    shows: { token: expect.stringMatching(/^\S+$/) },
    after: [gets("/version", 200, newToken)],
  }),
  row("openSession", "invalid credentials: wrong password", "/session", "401 LOGIN_FAILED", {
    bearer: null,
    body: { username, password: "wrong" },
  }),
  row("openSession", "invalid credentials: unknown user", "/session", "401 LOGIN_FAILED", {
    bearer: null,
    body: { username: "nobody", password },
  }),
  row("openSession", "invalid credentials: the account is paused", "/session", "401 AUTH_FAILED", {
    before: [noor(false)],
    bearer: null,
    body: { username: "noor.haddad", password },
  }),
  row("openSession", "username and password are strings", "/session", "400 BAD_REQUEST", {
    bearer: null,
    body: { username, password: 5 },
  }),
  row("renewSession", "a session is renewed", "/session", 200, {
    before: [signIn, pass(29 * MINUTE)],
    bearer: token,
    after: [pass(29 * MINUTE), gets("/version", 200, token), pass(MINUTE), gets("/version", "401 AUTH_FAILED", token)],
  }),
  row("renewSession", "an API key has no session to renew", "/session", "400 RENEW_FAILED"),
  row("renewSession", "a session that is over is refused", "/session", "401 AUTH_FAILED", {
    before: [signIn, pass(30 * MINUTE)],
    bearer: token,
  }),
  row("closeSession", "a session is ended", "/session", 204, {
    before: [signIn],
    bearer: token,
    after: [gets("/version", "401 AUTH_FAILED", token)],
  }),
  row("closeSession", "400 for sessions that were opened with an API key", "/session", "400 LOGOUT_FAILED"),
  row("getVersion", "the prefix has no case", "/version", 200, { authorization: `bearer ${CREDENTIALS.apiKey}` }),
  ...["", "Basic ", "Bearer more "].map((prefix) =>
    row("getVersion", `the prefix Bearer is mandatory: ${prefix}`, "/version", "401 AUTH_FAILED", {
      authorization: `${prefix}${CREDENTIALS.apiKey}`,
      headers: { "www-authenticate": "Bearer" },
    }),
  ),
  ...["key==", "a-key-of-the-classic-interface", "1234567890", "0f0f"].flatMap((bearer) => [
    row("getVersion", `a bearer token of another form: ${bearer}`, "/version", "401 AUTH_FAILED", { bearer }),
    row("getVersion", `a bearer token of another form, on live servers: ${bearer}`, "/version", "400 BAD_REQUEST", {
      ...{ bearer, spelling: "live", shows: { message: "invalid session token or API token format" } },
    }),
  ]),
  row("getVersion", "an unknown value is refused", "/version", "401 AUTH_FAILED", {
    bearer: "unknown",
    headers: { "www-authenticate": /^Bearer/ },
  }),
  row(
    "getVersion",
    "403 where the endpoint requires a user access right the account lacks",
    "/version",
    "403 FORBIDDEN",
    { bearer: CREDENTIALS.limitedApiKey },
  ),
  row("listSensors", "the key of a paused account is refused", "/experimental/sensors", "401 AUTH_FAILED", {
    before: [does("POST", "/users/101/pause")],
    bearer: CREDENTIALS.restrictedApiKey,
  }),
  row("createApiKey", "an API key created here is a bearer token", "/users/me/api-keys", 200, {
    body: { name: "wall", access_level: "READ" },
    after: [gets("/version", 200, (it) => (it.received.json as { key: string }).key)],
  }),
];
