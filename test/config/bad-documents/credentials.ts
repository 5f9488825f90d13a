import { SECRET } from "../support.ts";
import { AUTH, auth, type BadDocument, OPEN_SERVER, SERVER } from "./bad-document.ts";

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
    text: auth(`{ apikey_file: ${SECRET} }`),
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
    problems: [["4:16", "This file must not contain secrets"]],
  },
  {
    title: "literal key that is a number",
    text: auth("\n      api_key: 7777777"),
    problems: [["4:16", "This file must not contain secrets"]],
  },
  {
    title: "literal key beside a reference",
    text: auth(`\n      api_key: \${K}${SECRET}`),
    env: { K: "k" },
    problems: [["4:16", "This file must not contain secrets"]],
  },
  {
    title: "literal key as default",
    text: auth(`\n      api_key: \${K:-${SECRET}}`),
    env: { K: "k" },
    problems: [["4:16", "This file must not contain secrets"]],
  },
  {
    title: "literal password",
    text: auth(`\n      username: me\n      password: ${SECRET}`),
    problems: [["5:17", "servers[0].auth.password", "such as ${PRTG_PASSWORD}", "or password_file"]],
  },
  {
    title: "literal password of a proxy",
    text: `${OPEN_SERVER}    proxy_url: http://proxy:3128\n    proxy_auth:\n      username: me\n      password: ${SECRET}\n`,
    problems: [["8:17", "servers[0].proxy_auth.password", "or password_file"]],
  },
  {
    title: "literal password of a proxy of OTLP",
    text: `${SERVER}otlp:\n  proxy_url: http://proxy:3128\n  proxy_auth: { username: me, password: ${SECRET} }\n`,
    problems: [["5:41", "otlp.proxy_auth.password", "(not shown)"]],
  },
  {
    title: "credentials in the URL of a proxy",
    text: `${OPEN_SERVER}    proxy_url: http://me:${SECRET}@proxy:3128\n`,
    problems: [["5:16", "found a text (not shown): credentials belong under proxy_auth"]],
  },
  {
    title: "proxy that is a list",
    text: `${OPEN_SERVER}    proxy_url: [http://proxy:3128]\n`,
    problems: [["5:16", "servers[0].proxy_url: expected an http or https URL without a path"]],
  },
  {
    title: "proxy with a path",
    text: `${OPEN_SERVER}    proxy_url: http://proxy:3128/x\n`,
    problems: [["5:16", "without a path", "it has a path"]],
  },
  {
    title: "credentials of no proxy",
    text: `${OPEN_SERVER}    proxy_auth: { username: me, password_file: /run/secrets/key }\n`,
    problems: [["5:17", "servers[0].proxy_auth: expected no value without proxy_url"]],
  },
  {
    title: "two passwords of a proxy",
    text: `${OPEN_SERVER}    proxy_url: http://proxy:3128\n    proxy_auth: { username: me, password_file: /run/secrets/key, password: "\${K}" }\n`,
    env: { K: "k" },
    problems: [["6:17", "expected username with password_file, or username with password"]],
  },
  {
    title: "file of a password of a proxy that is not there",
    text: `${OPEN_SERVER}    proxy_url: http://proxy:3128\n    proxy_auth: { username: me, password_file: /gone/key }\n`,
    code: "SECRET_UNREADABLE",
    problems: [["6:48", "file /gone/key cannot be read"]],
  },
  {
    title: "authority of a proxy without TLS",
    text: `${OPEN_SERVER}    proxy_url: http://proxy:3128\n    proxy_ca_file: /etc/ssl/ca.pem\n`,
    problems: [["6:20", "no value, because proxy_url does not begin with https"]],
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
    problems: [["4:16", "but the value of K is different: it is empty"]],
  },
  {
    title: "variable of two lines as key",
    text: auth("\n      api_key: ${K}"),
    env: { K: `${SECRET}\nx` },
    problems: [["4:16", "it has more than one line"]],
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
        "use such a reference, otlp.header_files or OTEL_EXPORTER_OTLP_HEADERS",
      ] as const,
    ],
  })),
];
