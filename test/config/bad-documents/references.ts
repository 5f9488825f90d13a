import { SECRET } from "../support.ts";
import { auth, type BadDocument, OPEN_SERVER, SERVER, url } from "./bad-document.ts";

/** References to missing environment variables. */
export const REFERENCES: readonly BadDocument[] = [
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
    problems: [["3:14", "stale_after: expected ${NAME} or ${NAME:-default}; write $$ for a literal dollar"]],
  },
  {
    title: "wrong value in a variable",
    text: `${SERVER}stale_after: \${STALE}\n`,
    env: { STALE: SECRET },
    problems: [["3:14", "but the value of STALE is different"]],
  },
  {
    title: "wrong number in a variable",
    text: `${OPEN_SERVER}    limits: { concurrency: "\${C}" }\n`,
    env: { C: SECRET },
    problems: [["5:28", "expected a whole number from 1 to 64, but the value of C is different"]],
  },
  {
    title: "number out of range in a variable",
    text: `${OPEN_SERVER}    limits: { concurrency: "\${C}" }\n`,
    env: { C: "65" },
    problems: [["5:28", "but the value of C is different"]],
  },
  {
    title: "wrong boolean in a variable",
    text: `${OPEN_SERVER}    tls:\n      insecure_skip_verify: \${I}\n`,
    env: { I: "maybe" },
    problems: [["6:29", "expected true or false, but the value of I is different"]],
  },
  {
    title: "structure in a variable",
    text: auth("${A}"),
    env: { A: "{ api_key_file: /run/secrets/key }" },
    problems: [["3:11", "servers[0].auth: expected a map", "but the value of A is different"]],
  },
];
