import { SECRET } from "../support.ts";
import { auth, type BadDocument, OPEN_SERVER } from "./bad-document.ts";

export const FILES: readonly BadDocument[] = [
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
    problems: [["3:41", "servers[0].auth.password_file: file /run/secrets/two-lines has more than one line"]],
  },
  {
    title: "secret file in UTF-16",
    text: auth("{ api_key_file: /run/secrets/utf-16 }"),
    code: "SECRET_UNREADABLE",
    problems: [["3:27", "or is not UTF-8 text"]],
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
    problems: [["5:21", "file /etc/ssl/key.pem contains no PEM certificate"]],
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
