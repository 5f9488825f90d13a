import { join } from "node:path";
import { expect, test } from "vitest";
import { loadConfig } from "../../src/config/load.ts";
import { loadWebConfig } from "../../src/http/web-config/load.ts";
import { readTextFile } from "../../src/lib/bounded-files.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const latin1 = (text: string) => Buffer.from(text, "latin1");
const utf16 = (text: string) => Buffer.from(`\ufeff${text}`, "utf16le");
const SERVER = "servers: [{ url: http://a, auth: { api_key_file: key } }]\n";

async function messageOf(files: Readonly<Record<string, string | Buffer>>): Promise<string> {
  const folder = temporaryFolder({ key: "secret", ...files });
  const at = (name: string) => join(folder, name);
  const readFile = (path: string) => readTextFile(path);
  const serverFiles = { listFiles: async () => [at("s.yaml")], readFile, lastGood: new Map() };
  const found =
    "web.yaml" in files
      ? loadWebConfig(at("web.yaml"), readFile)
      : loadConfig({ file: at("c.yaml"), env: {}, readFile, serverFiles }).then(({ badServerFiles: [bad] }) => {
          if (bad !== undefined) throw bad.error;
        });
  const error: unknown = await found.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return String(error instanceof Error ? error.message : error).replaceAll(`${folder}/`, "");
}

const UTF_16 = "it looks like UTF-16 (little-endian, with a byte order mark): save it as UTF-8";
const LATIN_1 = "is not UTF-8, but looks like Latin-1 or Windows-1252: save it as UTF-8";

test.each([
  ["the configuration", { "c.yaml": utf16(SERVER) }, `c.yaml: the configuration file cannot be read: ${UTF_16}`],
  [
    "the configuration",
    { "c.yaml": latin1(`# M\xfcller\n${SERVER}`) },
    `c.yaml:1:4: the configuration file cannot be read: line 1, column 4 ${LATIN_1}`,
  ],
  [
    "rules",
    { "c.yaml": `${SERVER}mapping: { files: [r.yaml] }\n`, "r.yaml": latin1("rules: [] # \xfc\n") },
    `c.yaml:2:20: mapping.files[0]: r.yaml cannot be read: line 1, column 13 ${LATIN_1}`,
  ],
  [
    "a file of servers",
    { "c.yaml": 'servers_from: { files: "*.yaml" }\n', "s.yaml": latin1("name: Z\xfcrich\n") },
    `s.yaml:1:8: the file cannot be read: line 1, column 8 ${LATIN_1}`,
  ],
  [
    "the web configuration",
    { "web.yaml": utf16("rate_limit: {}\n") },
    `web.yaml: the web configuration cannot be read: ${UTF_16}`,
  ],
  [
    "a secret",
    { "c.yaml": SERVER, key: utf16("secret") },
    `c.yaml:1:50: servers[0].auth.api_key_file: file (name not shown: it may be the secret itself) cannot be read: ${UTF_16}`,
  ],
] as const)("the loader names the encoding of %s", async (_, files, message) => {
  expect(await messageOf(files)).toBe(message);
});
