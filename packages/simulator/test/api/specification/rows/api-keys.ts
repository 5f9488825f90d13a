import { expect } from "vitest";
import type { OperationId } from "../../../../src/api/contract/types.ts";
import { ACCESS_LEVELS, type AccessLevel } from "../../../../src/auth/accounts.ts";
import { CREDENTIALS } from "../../../support/running-service.ts";
import { type Answer, does, gets, ids, pass, type Row, row, sees } from "../row.ts";
import type { Received } from "../running.ts";
import { ID } from "../specified-world.ts";

const { restrictedApiKey } = CREDENTIALS;
/** Numbered by the directory. */
const KEY = { own: "401", restricted: "402" };

/** One operation of each access level. */
const PROBES: readonly (readonly [OperationId, path: string, body?: object])[] = [
  ["getVersion", "/version"],
  ["acknowledgeSensors", "/sensors/acknowledge", { filter: 'id = "none"' }],
  ["pauseSensors", "/sensors/pause", { filter: 'id = "none"' }],
  ["createApiKey", "/users/me/api-keys", { name: "x", access_level: "READ" }],
];
const NO = "403 FORBIDDEN";
/** The lower of the level of the key and the rights of the user. */
const RIGHTS: readonly (readonly [AccessLevel, user: string, readonly Answer[]])[] = [
  ["READ", "111", [200, NO, NO, NO]],
  ["ACKNOWLEDGE", "111", [200, 200, NO, NO]],
  ["WRITE", "111", [200, 200, 200, NO]],
  ["FULL", "111", [200, 200, 200, 200]],
  ["FULL", "113", [200, 200, NO, NO]],
  ["READ", "113", [200, NO, NO, NO]],
  ["FULL", "112", [200, NO, NO, NO]],
];

function textOf({ json }: Received): string {
  return (json as { readonly key: string }).key;
}

export const API_KEYS: readonly Row[] = [
  ...[{ id: KEY.own }, { key: CREDENTIALS.apiKey }, { id: KEY.own, key: CREDENTIALS.apiKey }].map((body) =>
    row("findApiKey", `by ${Object.keys(body).join(" and ")}`, "/users/api-keys/find", 200, {
      body,
      shows: { id: KEY.own },
    }),
  ),
  row("findApiKey", "a user finds the own key, without its text", "/users/api-keys/find", 200, {
    bearer: restrictedApiKey,
    body: { key: restrictedApiKey },
    shows: { id: KEY.restricted, user: { id: "101" } },
    after: [({ received }) => expect(received.text).not.toContain(`"${restrictedApiKey}"`)],
  }),
  ...[{ id: "999999" }, { key: "no such key" }, { id: KEY.own, key: restrictedApiKey }].map((body) =>
    row("findApiKey", `no such key: ${JSON.stringify(body)}`, "/users/api-keys/find", "404 NOT_FOUND", { body }),
  ),
  ...[{ id: KEY.own }, { key: CREDENTIALS.apiKey }].map((body) =>
    row("findApiKey", `a key of another user: ${JSON.stringify(body)}`, "/users/api-keys/find", "403 FORBIDDEN", {
      ...{ bearer: restrictedApiKey, body },
    }),
  ),
  row("findApiKey", "id is a string", "/users/api-keys/find", "400 BAD_REQUEST", { body: { id: 402 } }),
  row("findApiKey", "neither id nor key", "/users/api-keys/find", "400 BAD_REQUEST", { body: {} }),
  ...["100", "me"].map((id) =>
    row("listApiKeys", `keys of the user ${id}`, `/users/${id}/api-keys`, 200, { shows: [{ id: KEY.own }] }),
  ),
  ...ACCESS_LEVELS.map((level) =>
    row("createApiKey", `name, description and access_level ${level}`, "/users/101/api-keys", 200, {
      body: { name: "new", description: "for a wall", access_level: level },
      shows: { id: expect.any(String), key: expect.any(String), access_level: level },
      after: [
        (it) => sees("/users/101/api-keys", expect.arrayContaining([expect.objectContaining({ name: "new" })]))(it),
      ],
    }),
  ),
  ...(["100", "4711"] as const).flatMap((id) => [
    row(
      "listApiKeys",
      `keys of the user ${id} without administrator rights`,
      `/users/${id}/api-keys`,
      "403 FORBIDDEN",
      {
        bearer: restrictedApiKey,
      },
    ),
    row(
      "createApiKey",
      `a key of the user ${id} without administrator rights`,
      `/users/${id}/api-keys`,
      "403 FORBIDDEN",
      {
        ...{ bearer: restrictedApiKey, body: { name: "x", access_level: "READ" } },
      },
    ),
  ]),
  row("listApiKeys", "all fields, but never the text of a key", "/users/me/api-keys", 200, {
    spelling: "live",
    shows: [
      {
        ...{ id: KEY.own, name: "Configured key", description: expect.any(String), access_level: "FULL" },
        ...{ user: { id: "100", type: "REFERENCED_USER" }, created_at: "2026-03-12T17:55:10Z", expires_at: null },
        last_used_at: "2026-03-12T17:55:10Z",
      },
    ],
    after: [({ received }) => expect(received.text).not.toContain(CREDENTIALS.apiKey)],
  }),
  row("listApiKeys", "a user sees the own keys", "/users/me/api-keys", 200, {
    bearer: restrictedApiKey,
    shows: [{ id: KEY.restricted }],
    after: [sees("/users/101/api-keys", [{ id: KEY.restricted }])],
  }),
  row("listApiKeys", "an expired key", "/users/116/api-keys", 200, {
    spelling: "live",
    shows: [{ name: "Monthly report", expires_at: "2026-02-05T17:55:10Z" }],
  }),
  row("getVersion", "an expired key", "/version", "401 AUTH_FAILED", {
    before: [
      ({ simulator: { installation, now } }) => {
        const user = installation.directory.userByLogin("noor.haddad") ?? expect.fail("no such user");
        const key = { name: "short", accessLevel: "READ", expiresAt: now() + 1000 } as const;
        installation.directory.keys.create(user, key, now(), "KEY-EXPIRES");
      },
      gets("/version", 200, "KEY-EXPIRES"),
      pass(1000),
    ],
    bearer: "KEY-EXPIRES",
  }),
  row(
    "createApiKey",
    "its text appears in this answer only, and it has the rights of its user",
    "/users/me/api-keys",
    200,
    {
      bearer: restrictedApiKey,
      body: { name: "Grafana", access_level: "READ" },
      shows: { name: "Grafana", description: "", key: expect.stringMatching(/^[A-Z2-7]{52}={4}$/) },
      after: [
        async (it) => {
          const bearer = textOf(it.received);
          expect((await it.send("GET", "/users/101/api-keys")).text).not.toContain(bearer);
          expect((await it.send("GET", "/experimental/devices", { bearer })).json).toMatchObject(ids(ID.elsewhere));
        },
      ],
    },
  ),
  ...RIGHTS.flatMap(([level, user, statuses]) =>
    PROBES.map(([operation, path, body], index) =>
      row(operation, `a key with the access level ${level} of the user ${user}`, path, statuses[index] ?? 200, {
        before: [does("POST", `/users/${user}/api-keys`, { name: "of a test", access_level: level })],
        bearer: ({ earlier }) => textOf(earlier),
        body,
      }),
    ),
  ),
  row("createApiKey", "no such access_level", "/users/me/api-keys", "400 BAD_REQUEST", {
    body: { name: "new", access_level: "ALL" },
  }),
  row("editApiKey", "name, description and access_level, none required", `/users/api-keys/${KEY.restricted}`, 204, {
    body: { access_level: "READ" },
    after: [sees("/users/101/api-keys", [{ id: KEY.restricted, name: "Configured key", access_level: "READ" }])],
  }),
  row("editApiKey", "only the given fields", `/users/api-keys/${KEY.restricted}`, 204, {
    body: { name: "n", description: "d" },
    after: [sees("/users/101/api-keys", [{ name: "n", description: "d", access_level: "FULL" }])],
  }),
  row("editApiKey", "another access_level counts at once", `/users/api-keys/${KEY.restricted}`, 204, {
    body: { access_level: "NOT_SET" },
    after: [gets("/experimental/sensors", "403 FORBIDDEN", restrictedApiKey)],
  }),
  row("editApiKey", "no such access_level", `/users/api-keys/${KEY.restricted}`, "400 BAD_REQUEST", {
    body: { access_level: "ALL" },
  }),
  row("editApiKey", "a key of another user", `/users/api-keys/${KEY.own}`, "403 FORBIDDEN", {
    bearer: restrictedApiKey,
    body: {},
  }),
  row("deleteApiKey", "a key of another user", `/users/api-keys/${KEY.own}`, "403 FORBIDDEN", {
    bearer: restrictedApiKey,
  }),
  row("deleteApiKey", "the key is refused from then on", `/users/api-keys/${KEY.restricted}`, 204, {
    after: [gets("/version", "401 AUTH_FAILED", restrictedApiKey)],
  }),
];
