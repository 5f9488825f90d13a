import { SECRET } from "./support.ts";

/** A document that must be refused: what it holds, and the lines of the message (their beginnings or more). */
export interface BadDocument {
  readonly title: string;
  readonly text: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly code?: string;
  /** `LINE:COLUMN` and the fragments that the problem there must contain; all problems, in order. */
  readonly problems: readonly (readonly [position: string, ...fragments: string[]])[];
}

/** Two lines of a server that is fine; what follows is in line 3. */
const SERVER = "servers:\n  - { url: https://prtg:1616, auth: { api_key_file: /run/secrets/key } }\n";
/** A server that is fine; what follows is in line 5, indented by four. */
const OPEN_SERVER = "servers:\n  - url: https://prtg:1616\n    auth:\n      api_key_file: /run/secrets/key\n";

const AUTH = "exactly one of api_key_file, api_key, username with password_file, or username with password";

function auth(text: string): string {
  return `servers:\n  - url: https://prtg:1616\n    auth: ${text}\n`;
}

function url(text: string): string {
  return `servers:\n  - auth: { api_key_file: /run/secrets/key }\n    url: ${text}\n`;
}

const SYNTAX: readonly BadDocument[] = [
  {
    title: "tab as indentation",
    text: `${SERVER}collectors:\n\ttree:\n`,
    problems: [["4:1", "a tab in the indentation"]],
  },
  { title: "duplicate key", text: `${SERVER}metrics: {}\nmetrics: {}\n`, problems: [["4:1", "occurs twice"]] },
  { title: "duplicate key in { }", text: `${SERVER}metrics: {a: 1, a: 2}\n`, problems: [["3:17", "occurs twice"]] },
  { title: "two documents", text: `${SERVER}---\nmetrics: {}\n`, problems: [["3:1", "second document"]] },
  { title: "open quote", text: `${SERVER}stale_after: "5m\n`, problems: [["4:1", "closing double quote is missing"]] },
  {
    title: "open [",
    text: `${SERVER}metrics: { node_sensors: [probe, group }\n`,
    problems: [["3:40", "a closing ] is missing"]],
  },
  { title: "open {", text: `${SERVER}metrics: { a: 1\n`, problems: [["4:1", "a closing } is missing"]] },
  {
    title: "wrong indentation",
    text: `${SERVER}collectors:\n    tree: {}\n  status: {}\n`,
    problems: [["5:1", "wrong indentation"]],
  },
  { title: "no colon", text: `${SERVER}metrics\nstale_after: 5m\n`, problems: [["3:1", "no `key: value`"]] },
  { title: "second colon", text: `${SERVER}stale_after: a: b\n`, problems: [["3:14", "a second `: ` in one line"]] },
  { title: "text after quotes", text: auth(`"a" ${SECRET}`), problems: [["3:15", "unexpected text"]] },
  { title: "text that starts with @", text: auth(`@${SECRET}`), problems: [["3:11", "must be quoted"]] },
  { title: "text that starts with *", text: auth(`*${SECRET}`), problems: [["3:11", "starts with * must be quoted"]] },
  { title: "text that starts with !", text: auth(`!${SECRET}`), problems: [["3:11", "starts with ! must be quoted"]] },
  {
    title: "text that starts with &",
    text: auth(`&a &${SECRET} b`),
    problems: [["3:14", "starts with & must be quoted"]],
  },
  { title: "binary", text: "stale_after: !!binary aGk=\n", problems: [["1:14", "an unknown tag"]] },
  { title: "unknown escape", text: 'stale_after: "\\q"\n', problems: [["1:15", "a backslash is written \\\\"]] },
  { title: "unknown directive", text: "%NOPE\n---\nmetrics: {}\n", problems: [["1:1", "must be a YAML directive"]] },
  {
    title: "reference in { } without quotes",
    text: auth("{ api_key: ${KEY} }"),
    problems: [["3:23", "inside { } and [ ] put ${...} in quotes"]],
  },
  { title: "alias without anchor", text: "a: *b\nc: &b 1\n", problems: [["1:4", "a: an alias without an anchor"]] },
  { title: "alias of itself", text: "a: &a [*a]\n", problems: [["1:8", "a[0]: an alias without an anchor"]] },
  {
    title: "merge of a text",
    text: "a:\n  <<: b\n",
    problems: [["2:3", "a: the merge key << takes an alias of a map"]],
  },
  { title: "merge of a list of texts", text: "a: { <<: [b] }\n", problems: [["1:6", "the merge key <<"]] },
  { title: "map as a key", text: "a:\n  ? { b: 1 }\n  : c\n", problems: [["2:5", "a: a key must be a plain text"]] },
  { title: "empty key", text: "a: 1\n: 2\n", problems: [["2:1", "a key must be a plain text"]] },
  { title: "deep nesting", text: `a: ${"[".repeat(70)}${"]".repeat(70)}\n`, problems: [["1:68", "nested too deeply"]] },
  { title: "very deep nesting", text: "[".repeat(9_000), problems: [["1:", "nested too deeply"]] },
  {
    title: "aliases that multiply",
    text: ["a: &a [x, x, x, x, x, x, x, x, x]", ..."bcdefgh"].reduce(
      (text, key) => `${text}\n${key}: &${key} [${Array.from({ length: 9 }, () => `*${previous(key)}`).join(", ")}]`,
    ),
    problems: [["1:", "more than 100000 values, counting aliases"]],
  },
  {
    title: "two faults of syntax",
    text: `metrics: {}\nmetrics: {}\ncollectors:\n\ttree: {}\n`,
    problems: [
      ["2:1", "occurs twice"],
      ["4:1", "a tab"],
    ],
  },
];

function previous(letter: string): string {
  return String.fromCharCode(letter.charCodeAt(0) - 1);
}

const VALUES: readonly BadDocument[] = [
  { title: "a list", text: "- a\n- b\n", problems: [["1:1", "expected a map, found a list"]] },
  {
    title: "a text, perhaps a key",
    text: `${SECRET}\n`,
    problems: [["1:1", "expected a map, found a text (not shown)"]],
  },
  {
    title: "servers as a map",
    text: "servers:\n  url: http://a\n",
    problems: [["2:3", "servers: expected a list, found a map"]],
  },
  {
    title: "a server as a text",
    text: "servers: [http://a]\n",
    problems: [["1:11", 'servers[0]: expected a map, found "http://a"']],
  },
  {
    title: "an empty server",
    text: "servers:\n  -\n",
    problems: [
      ["2:4", `servers[0].auth: missing, expected a map with ${AUTH}`],
      ["2:4", "servers[0].url: missing, expected an http or https URL"],
    ],
  },
  {
    title: "unknown key at the root",
    text: `${SERVER}otlp: {}\n`,
    problems: [["3:1", "otlp: unknown key; known here: servers, collectors, stale_after, metrics"]],
  },
  {
    title: "misspelt key",
    text: `${SERVER}collectors:\n  tree:\n    shedule: 1m\n`,
    problems: [["5:5", "collectors.tree.shedule: unknown key, did you mean `schedule`?"]],
  },
  {
    title: "camel case",
    text: `${OPEN_SERVER}    tls: { caFile: x }\n`,
    problems: [["5:12", "servers[0].tls.caFile: unknown key, did you mean `ca_file`?"]],
  },
  {
    title: "key one level too high",
    text: `${OPEN_SERVER}    ca_file: x\n`,
    problems: [["5:5", "servers[0].ca_file: unknown key, did you mean `tls.ca_file`?"]],
  },
  {
    title: "unknown collector",
    text: `${SERVER}collectors: { sensors: {} }\n`,
    problems: [["3:15", "collectors.sensors: unknown key; known here: health, status, tree"]],
  },
  { title: "odd key", text: `${SERVER}"a\\nb": 1\n`, problems: [["3:1", '["a\\nb"]: unknown key; known here']] },
  {
    title: "key of Object.prototype",
    text: `${SERVER}__proto__: 1\ntoString: 2\n`,
    problems: [
      ["3:1", "__proto__: unknown key"],
      ["4:1", "toString: unknown key"],
    ],
  },
  { title: "key that is a number", text: `${SERVER}1: 2\n`, problems: [["3:1", "1: unknown key"]] },

  {
    title: "URL without scheme",
    text: url("prtg:1616"),
    problems: [
      [
        "3:10",
        'servers[0].url: expected an http or https URL such as https://prtg.example.com:1616, found "prtg:1616": it does not begin with',
      ],
    ],
  },
  {
    title: "URL with credentials",
    text: url(`https://me:${SECRET}@prtg`),
    problems: [["3:10", "found a text (not shown): credentials belong under auth"]],
  },
  {
    title: "URL with a query",
    text: url(`https://prtg/?apitoken=${SECRET}`),
    problems: [["3:10", "found a text (not shown): it has a query"]],
  },
  {
    title: "URL that is null",
    text: url(""),
    problems: [["3:5", "servers[0].url: expected an http or https URL", "found nothing"]],
  },
  { title: "URL that is a number", text: url("1616"), problems: [["3:10", "found 1616"]] },

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

  {
    title: "concurrency of 0",
    text: `${OPEN_SERVER}    limits: { concurrency: 0 }\n`,
    problems: [["5:28", "servers[0].limits.concurrency: expected a whole number from 1 to 64, found 0"]],
  },
  {
    title: "concurrency of 65",
    text: `${OPEN_SERVER}    limits: { concurrency: 65 }\n`,
    problems: [["5:28", "found 65"]],
  },
  {
    title: "fraction",
    text: `${OPEN_SERVER}    limits: { concurrency: 1.5 }\n`,
    problems: [["5:28", "a whole number from 1 to 64, found 1.5"]],
  },
  {
    title: "number in quotes",
    text: `${OPEN_SERVER}    limits: { concurrency: "4" }\n`,
    problems: [["5:28", 'a whole number from 1 to 64, found "4"']],
  },
  {
    title: "infinity",
    text: `${OPEN_SERVER}    limits: { requests_per_second: .inf }\n`,
    problems: [["5:36", "a number from 0.01 to 1000, found Infinity"]],
  },
  {
    title: "nothing per second",
    text: `${OPEN_SERVER}    limits: { requests_per_second: 0 }\n`,
    problems: [["5:36", "a number from 0.01 to 1000, found 0"]],
  },
  {
    title: "duration without unit",
    text: `${OPEN_SERVER}    limits: { timeout: 30 }\n`,
    problems: [["5:24", "servers[0].limits.timeout: expected a duration from 100ms to 1h, such as", "found 30"]],
  },
  {
    title: "duration beyond the range",
    text: `${OPEN_SERVER}    limits: { timeout: 2h }\n`,
    problems: [["5:24", "expected a duration from 100ms to 1h", 'found "2h"']],
  },
  {
    title: "total below the single timeout",
    text: `${OPEN_SERVER}    limits: { timeout: 5m }\n`,
    problems: [
      ["5:13", "servers[0].limits.total_timeout: expected a duration that is not shorter than timeout", '"2m"'],
    ],
  },
  {
    title: "size without unit",
    text: `${OPEN_SERVER}    limits: { max_response_size: 64 }\n`,
    problems: [["5:34", "expected a size from 64KiB to 500MiB with its unit", "found 64"]],
  },
  {
    title: "size too small",
    text: `${OPEN_SERVER}    limits: { max_response_size: 1KiB }\n`,
    problems: [["5:34", 'found "1KiB"']],
  },

  {
    title: "cron with five fields",
    text: `${SERVER}collectors: { tree: { schedule: "*/5 * * * *" } }\n`,
    problems: [
      [
        "3:33",
        "collectors.tree.schedule",
        'found "*/5 * * * *": it has five fields: put the seconds first, as in 0 */5 * * * *',
      ],
    ],
  },
  {
    title: "uneven seconds",
    text: `${SERVER}collectors: { tree: { schedule: "*/45 * * * * *" } }\n`,
    problems: [["3:33", "must divide 60", "as in 45s"]],
  },
  {
    title: "wrong cron field",
    text: `${SERVER}collectors: { tree: { schedule: 0 0 25 * * * } }\n`,
    problems: [["3:33", "the field for the hour is wrong"]],
  },
  {
    title: "interval too short",
    text: `${SERVER}collectors: { tree: { schedule: 100ms } }\n`,
    problems: [["3:33", 'found "100ms": the shortest is 1s']],
  },
  {
    title: "schedule as a number",
    text: `${SERVER}collectors: { tree: { schedule: 30 } }\n`,
    problems: [["3:33", "expected a duration such as 30s, or a cron expression with seconds", "found 30"]],
  },
  {
    title: "schedule as a list",
    text: `${SERVER}collectors: { tree: { schedule: [30s] } }\n`,
    problems: [["3:33", "found a list"]],
  },
  {
    title: "yes",
    text: `${SERVER}collectors: { tree: { enabled: yes } }\n`,
    problems: [["3:32", 'collectors.tree.enabled: expected true or false, found "yes"']],
  },
  {
    title: "YAML 1.1 is not spoken",
    text: "%YAML 1.1\n---\nservers:\n  - { url: http://a, auth: { api_key_file: /run/secrets/key }, tls: { insecure_skip_verify: yes } }\n",
    problems: [["4:93", 'found "yes"']],
  },
  {
    title: "collector as a duration",
    text: `${SERVER}collectors: { tree: 5m }\n`,
    problems: [["3:21", 'collectors.tree: expected a map, found "5m"']],
  },
  {
    title: "stale_after that is null",
    text: `${SERVER}stale_after:\n`,
    problems: [["3:1", "stale_after: expected a duration from 1s to 24d", "found nothing"]],
  },
  {
    title: "unknown choice",
    text: `${SERVER}metrics: { sensor_status: every }\n`,
    problems: [["3:27", 'metrics.sensor_status: expected one of current, all, found "every"']],
  },
  {
    title: "unknown choice in a list",
    text: `${SERVER}metrics:\n  node_sensors:\n    - probe\n    - sensor\n`,
    problems: [["6:7", 'metrics.node_sensors[1]: expected one of probe, group, device, found "sensor"']],
  },
  {
    title: "long text",
    text: `${SERVER}stale_after: ${"x".repeat(500)}\n`,
    problems: [["3:14", `found "${"x".repeat(60)}..."`]],
  },

  {
    title: "name without anything in it",
    text: `${OPEN_SERVER}    name: " "\n`,
    problems: [["5:11", 'servers[0].name: expected a name that is not empty, found " "']],
  },
  {
    title: "name given twice",
    text: `${OPEN_SERVER}    name: a\n  - url: http://b\n    name: a\n    auth: { api_key_file: /run/secrets/key }\n`,
    problems: [["7:11", "servers[1].name: expected a name that no other server has (servers[0] has it", 'found "a"']],
  },
  {
    title: "same host twice",
    text: `${OPEN_SERVER}  - url: https://prtg:2616\n    auth: { api_key_file: /run/secrets/key }\n`,
    problems: [["5:5", "servers[1].name", "the default is the host in url", 'found "prtg"']],
  },
  {
    title: "fault in a merged map",
    text: `${OPEN_SERVER}    limits: &limits\n      concurrency: 99\n  - url: http://b\n    auth: { api_key_file: /run/secrets/key }\n    limits: { <<: *limits, timeout: 1s }\n`,
    problems: [
      ["6:20", "servers[0].limits.concurrency"],
      ["6:20", "servers[1].limits.concurrency"],
    ],
  },
];

const REFERENCES: readonly BadDocument[] = [
  {
    title: "unset variable",
    text: `${SERVER}stale_after: \${STALE}\n`,
    code: "CONFIG_VARIABLE_UNSET",
    problems: [["3:14", "stale_after: environment variable STALE is not set"]],
  },
  {
    title: "unset variable as key",
    text: auth("\n      api_key: ${KEY}"),
    code: "CONFIG_VARIABLE_UNSET",
    problems: [["4:16", "servers[0].auth.api_key: environment variable KEY is not set"]],
  },
  {
    title: "two unset variables in one text",
    text: url("http://${H}:${P}"),
    code: "CONFIG_VARIABLE_UNSET",
    problems: [["3:10", "environment variable H and P is not set"]],
  },
  {
    title: "malformed reference",
    text: `${SERVER}stale_after: "\${1x}"\n`,
    problems: [["3:14", "stale_after: expected ${NAME} or ${NAME:-default}; a literal dollar is written $$"]],
  },
  {
    title: "wrong value in a variable",
    text: `${SERVER}stale_after: \${STALE}\n`,
    env: { STALE: SECRET },
    problems: [["3:14", "which the value of STALE is not"]],
  },
  {
    title: "wrong number in a variable",
    text: `${OPEN_SERVER}    limits: { concurrency: "\${C}" }\n`,
    env: { C: SECRET },
    problems: [["5:28", "expected a whole number from 1 to 64, which the value of C is not"]],
  },
  {
    title: "number out of range in a variable",
    text: `${OPEN_SERVER}    limits: { concurrency: "\${C}" }\n`,
    env: { C: "65" },
    problems: [["5:28", "which the value of C is not"]],
  },
  {
    title: "wrong boolean in a variable",
    text: `${OPEN_SERVER}    tls:\n      insecure_skip_verify: \${I}\n`,
    env: { I: "maybe" },
    problems: [["6:29", "expected true or false, which the value of I is not"]],
  },
  {
    title: "structure in a variable",
    text: auth("${A}"),
    env: { A: "{ api_key_file: /run/secrets/key }" },
    problems: [["3:11", "servers[0].auth: expected a map", "which the value of A is not"]],
  },
];

const FILES: readonly BadDocument[] = [
  {
    title: "no secret file",
    text: auth("{ api_key_file: /run/secrets/none }"),
    code: "SECRET_UNREADABLE",
    problems: [["3:27", "servers[0].auth.api_key_file: file /run/secrets/none cannot be read: no such file"]],
  },
  {
    title: "empty secret file",
    text: auth("{ api_key_file: /run/secrets/empty }"),
    code: "SECRET_UNREADABLE",
    problems: [["3:27", "file /run/secrets/empty is empty"]],
  },
  {
    title: "secret file of two lines",
    text: auth("{ username: a, password_file: /run/secrets/two-lines }"),
    code: "SECRET_UNREADABLE",
    problems: [["3:41", "servers[0].auth.password_file: file /run/secrets/two-lines holds more than one line"]],
  },
  {
    title: "secret file in UTF-16",
    text: auth("{ api_key_file: /run/secrets/utf-16 }"),
    code: "SECRET_UNREADABLE",
    problems: [["3:27", "or is no UTF-8 text"]],
  },
  {
    title: "path with a line break",
    text: auth('{ api_key_file: "/run/a\\nb" }'),
    code: "SECRET_UNREADABLE",
    problems: [["3:27", 'file "/run/a\\nb" cannot be read']],
  },
  {
    title: "key in place of its file",
    text: auth(`{ api_key_file: ${SECRET} }`),
    code: "SECRET_UNREADABLE",
    problems: [["3:27", "file (name not shown: it may be the secret itself) cannot be read"]],
  },
  {
    title: "no CA file",
    text: `${OPEN_SERVER}    tls: { ca_file: /etc/ssl/none.pem }\n`,
    code: "CA_UNREADABLE",
    problems: [["5:21", "servers[0].tls.ca_file: file /etc/ssl/none.pem cannot be read: no such file"]],
  },
  {
    title: "CA file without certificate",
    text: `${OPEN_SERVER}    tls: { ca_file: /etc/ssl/key.pem }\n`,
    code: "CA_UNREADABLE",
    problems: [["5:21", "file /etc/ssl/key.pem holds no PEM certificate"]],
  },
  {
    title: "damaged certificate",
    text: `${OPEN_SERVER}    tls: { ca_file: /etc/ssl/damaged.pem }\n`,
    code: "CA_UNREADABLE",
    problems: [["5:21", "certificate 1 in file /etc/ssl/damaged.pem is damaged"]],
  },
  {
    title: "every file of two servers",
    text: `servers:\n  - { url: http://a, auth: { api_key_file: /x }, tls: { ca_file: /y } }\n  - { url: http://b, auth: { username: u, password_file: /z } }\n`,
    problems: [
      ["2:44", "file /x cannot be read"],
      ["2:66", "file /y cannot be read"],
      ["3:58", "file /z cannot be read"],
    ],
  },
];

const SERVERS: readonly BadDocument[] = [
  { title: "empty file", text: "", code: "CONFIG_NO_SERVER", problems: [["1:1", "no server is configured"]] },
  {
    title: "nothing but comments",
    text: "# servers:\n",
    code: "CONFIG_NO_SERVER",
    problems: [["1:1", "no server is configured"]],
  },
  {
    title: "no servers",
    text: "metrics: {}\n",
    code: "CONFIG_NO_SERVER",
    problems: [["1:1", "servers: no server is configured"]],
  },
  {
    title: "empty list of servers",
    text: "metrics: {}\nservers: []\n",
    code: "CONFIG_NO_SERVER",
    problems: [["2:10", "no server is configured"]],
  },
  {
    title: "servers that are null",
    text: "metrics: {}\nservers:\n",
    problems: [["2:1", "servers: expected a list, found nothing"]],
  },
];

export const BAD_DOCUMENTS: readonly BadDocument[] = [
  ...SYNTAX.map((document) => ({ code: "CONFIG_SYNTAX", ...document })),
  ...VALUES,
  ...REFERENCES,
  ...FILES,
  ...SERVERS,
];
