import { SECRET } from "../support.ts";
import { AUTH, auth, type BadDocument, SERVER } from "./bad-document.ts";

/** Wrong ways to prove who we are, and secrets written into the file. */
export const CREDENTIALS: readonly BadDocument[] = [
  {
    title: "no credentials",
    text: "servers:\n  - url: http://a\n",
    problems: [["2:5", `servers[0].auth: missing, expected a map with ${AUTH}`]],
  },
  {
    title: "empty credentials",
    text: auth("{}"),
    problems: [["3:11", `servers[0].auth: expected ${AUTH}, found nothing`]],
  },
  {
    title: "commented credentials",
    text: auth("# api_key_file"),
    problems: [["3:5", `servers[0].auth: expected ${AUTH}, found nothing`]],
  },
  {
    title: "credentials as a text",
    text: auth(SECRET),
    problems: [["3:11", `servers[0].auth: expected a map with ${AUTH}, found a text (not shown)`]],
  },
  {
    title: "credentials as a key",
    text: auth(`{ ${SECRET} }`),
    problems: [["3:13", "servers[0].auth: unknown key (not shown)"]],
  },
  {
    title: "misspelt key of the credentials",
    text: auth("{ apikey_file: /run/secrets/key }"),
    problems: [["3:13", "servers[0].auth.apikey_file: unknown key, did you mean `api_key_file`?"]],
  },
  {
    title: "two kinds of credentials",
    text: auth("{ api_key_file: a, username: b }"),
    problems: [["3:11", `${AUTH}, found api_key_file and username`]],
  },
  {
    title: "two sources of one secret",
    text: auth('{ api_key_file: a, api_key: "${K}" }'),
    env: { K: SECRET },
    problems: [["3:11", "found api_key_file and api_key"]],
  },
  { title: "user without password", text: auth("{ username: b }"), problems: [["3:11", "found username"]] },
  { title: "password without user", text: auth("{ password_file: b }"), problems: [["3:11", "found password_file"]] },
  {
    title: "literal key",
    text: auth(`{ api_key: ${SECRET} }`),
    problems: [
      [
        "3:22",
        "servers[0].auth.api_key: expected a reference to an environment variable such as ${PRTG_API_KEY}",
        "(not shown)",
        "or api_key_file",
      ],
    ],
  },
  {
    title: "literal key in quotes",
    text: auth(`\n      api_key: "${SECRET}"`),
    problems: [["4:16", "secrets do not belong in this file"]],
  },
  {
    title: "literal key that is a number",
    text: auth("\n      api_key: 7777777"),
    problems: [["4:16", "secrets do not belong in this file"]],
  },
  {
    title: "literal key beside a reference",
    text: auth(`\n      api_key: \${K}${SECRET}`),
    env: { K: "k" },
    problems: [["4:16", "secrets do not belong in this file"]],
  },
  {
    title: "literal key as default",
    text: auth(`\n      api_key: \${K:-${SECRET}}`),
    env: { K: "k" },
    problems: [["4:16", "secrets do not belong in this file"]],
  },
  {
    title: "literal password",
    text: auth(`\n      username: me\n      password: ${SECRET}`),
    problems: [["5:17", "servers[0].auth.password", "such as ${PRTG_PASSWORD}", "or password_file"]],
  },
  {
    title: "key that is null",
    text: auth("{ api_key: }"),
    problems: [["3:13", "servers[0].auth.api_key: expected a reference", "found nothing"]],
  },
  {
    title: "empty variable as key",
    text: auth("\n      api_key: ${K}"),
    env: { K: "" },
    problems: [["4:16", "which the value of K is not: it is empty"]],
  },
  {
    title: "variable of two lines as key",
    text: auth("\n      api_key: ${K}"),
    env: { K: `${SECRET}\nx` },
    problems: [["4:16", "it holds more than one line"]],
  },
  ...[
    "authorization",
    "Authorization",
    "PROXY-AUTHORIZATION",
    "Cookie",
    "api-key",
    "X-Apikey",
    "Dd-Api-Key",
    "x-token",
  ].map((name) => ({
    title: `literal header ${name}`,
    text: `${SERVER}otlp:\n  headers:\n    X-Scope-OrgID: network\n    ${name}: Bearer ${SECRET}\n`,
    problems: [
      [
        `6:${name.length + 7}`,
        `otlp.headers.${name}: expected a reference to an environment variable such as Bearer \${OTLP_TOKEN}`,
        "(not shown)",
        "give such a reference, otlp.header_files or OTEL_EXPORTER_OTLP_HEADERS",
      ] as const,
    ],
  })),
];
