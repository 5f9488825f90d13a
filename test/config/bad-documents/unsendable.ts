import { SECRET } from "../support.ts";
import { auth, type BadDocument, OPEN_SERVER } from "./bad-document.ts";

const KEY_FAULT = "contains a space or another character that is invalid in an API key";
const HEADER_FAULT = "contains characters that are invalid in an HTTP header";
const HEADER = "expected the value of an HTTP header: one line of Latin-1";

/** Valid, but can never reach a server. */
export const UNSENDABLE: readonly BadDocument[] = [
  ...[
    ` ${SECRET}`,
    `${SECRET} `,
    `${SECRET} more`,
    `\t${SECRET}`,
    `${SECRET}\u00a0`,
    `${SECRET}\u200b`,
    `${SECRET}é`,
  ].map(
    (key): BadDocument => ({
      title: `API key ${JSON.stringify(key)}`,
      text: auth('{ api_key: "${K}" }'),
      env: { K: key },
      code: "SECRET_UNREADABLE",
      problems: [["3:22", `servers[0].auth.api_key: environment variable K ${KEY_FAULT}`]],
    }),
  ),
  {
    title: "API key with a blank in its file",
    text: auth("{ api_key_file: /run/secrets/blank }"),
    code: "SECRET_UNREADABLE",
    problems: [["3:27", `servers[0].auth.api_key_file: file /run/secrets/blank ${KEY_FAULT}`]],
  },
  ...[`${SECRET}\r\nx: y`, `a\n${SECRET}`, `${SECRET} €`, `${SECRET}\u0000`, `${SECRET}\u007f`, `日本${SECRET}`].map(
    (value): BadDocument => ({
      title: `header ${JSON.stringify(value)}`,
      text: `${OPEN_SERVER}otlp:\n  headers:\n    x-tenant: "\${H}"\n`,
      env: { H: value },
      problems: [["7:15", "otlp.headers.x-tenant", HEADER]],
    }),
  ),
  {
    title: "header with a line break in the file",
    text: `${OPEN_SERVER}otlp: { headers: { x-tenant: "a\\r\\nb" } }\n`,
    problems: [["5:30", "otlp.headers.x-tenant", HEADER]],
  },
  {
    title: "header with an escape in its file",
    text: `${OPEN_SERVER}otlp: { header_files: { authorization: /run/secrets/header } }\n`,
    code: "SECRET_UNREADABLE",
    problems: [["5:40", `otlp.header_files.authorization: file /run/secrets/header ${HEADER_FAULT}`]],
  },
  {
    title: "no file of a header, and no certificate",
    text: `${OPEN_SERVER}otlp: { header_files: { authorization: /run/secrets/none }, tls: { ca_file: /etc/ssl/damaged.pem } }\n`,
    problems: [
      ["5:40", "otlp.header_files.authorization: file /run/secrets/none cannot be read: no such file"],
      ["5:", "otlp.tls.ca_file"],
    ],
  },
  {
    title: "key of another certificate for the receiver",
    text: `${OPEN_SERVER}otlp: { tls: { cert_file: /etc/ssl/certs/exporter.pem, key_file: /etc/ssl/other.key } }\n`,
    code: "SECRET_UNREADABLE",
    problems: [["5:66", "otlp.tls.key_file", "does not belong to the client certificate"]],
  },
  ...[
    "http://a:0",
    `https://user:${SECRET}@a`,
    "http://a#b",
    "http://a?b=c",
    `ftp://user:${SECRET}@a`,
    "http://a:99999",
  ].flatMap((url): BadDocument[] => [
    {
      title: `server ${url}`,
      text: `servers:\n  - url: ${url}\n    auth: { api_key_file: /run/secrets/key }\n`,
      problems: [["2:10", "servers[0].url"]],
    },
    {
      title: `receiver ${url}`,
      text: `${OPEN_SERVER}otlp:\n  endpoint: ${url}\n`,
      problems: [["6:13", "otlp.endpoint"]],
    },
  ]),
  ...["0s", "-1s", "-30s"].map(
    (interval): BadDocument => ({
      title: `interval ${interval}`,
      text: `${OPEN_SERVER}otlp: { interval: ${interval}, timeout: ${interval} }\n`,
      problems: [
        ["5:19", "otlp.interval: expected a duration"],
        ["5:", "otlp.timeout: expected a duration"],
      ],
    }),
  ),
];
