import { X509Certificate } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readText } from "../../../src/app/context.ts";
import { writeDraft } from "../../../src/cli/init/draft.ts";
import { type Given, givenBy, type InitFlags } from "../../../src/cli/init/flags.ts";
import { createConfiguration } from "../../../src/cli/init/init.ts";
import type { Terminal } from "../../../src/cli/init/terminal.ts";
import { loadConfig } from "../../../src/config/load.ts";
import { certificatePath, keyPair } from "../../support/certificates.ts";
import { testContext } from "../../support/simulated-exporter.ts";
import { CREDENTIALS, simulateServer } from "../../support/simulated-server.ts";
import { memoryFolder } from "../../support/temporary-folder.ts";

const TLS = keyPair("localhost");
const FINGERPRINT = new X509Certificate(TLS.cert).fingerprint256;
const NOTHING: Given = {
  url: undefined,
  apiKeyFile: undefined,
  apiKey: undefined,
  caFile: undefined,
  fingerprints: undefined,
};

interface Outcome {
  readonly code: number;
  /** Questions and output, in order. */
  readonly said: string;
}

/** Answers in order. Secrets are marked in what is said. */
async function run(
  folder: string,
  answers: readonly string[] | undefined,
  given: Partial<Given> = {},
  force?: true,
  out = "prtg.yaml",
): Promise<Outcome> {
  const lines: string[] = [];
  const left = [...(answers ?? [])];
  const next = (kind: string) => async (question: string) => {
    lines.push(`${kind}: ${question}`);
    return left.shift() ?? expect.fail(`no answer to ${question}\n${lines.join("\n")}`);
  };
  const terminal: Terminal = {
    ask: next("ask"),
    askSecret: next("secret"),
    confirm: async (question) => (await next("confirm")(question)) === "y",
    close: () => undefined,
  };
  const context = testContext();
  const print = (text: string) => void lines.push(context.redactor.redact(text));
  const flags = { out: join(folder, out), ...(force && { force }) };
  const code = await createConfiguration(flags, { ...NOTHING, ...given }, answers && terminal, { ...context, print });
  expect(left).toEqual([]);
  return { code, said: lines.join("\n") };
}

async function loaded(folder: string) {
  const { config, exposedSecrets } = await loadConfig({ file: join(folder, "prtg.yaml"), env: {}, readFile: readText });
  expect(exposedSecrets).toEqual([]);
  const [server] = config.servers;
  if (server?.credentials.kind !== "api_key") return expect.fail("no key");
  return { server, key: (await server.credentials.apiKey.read()).reveal() };
}

test("asks for everything and writes a configuration that works", async () => {
  const { url } = await simulateServer({ tls: TLS });
  const folder = memoryFolder({});
  const { code, said } = await run(folder, [url, "y", CREDENTIALS.readApiKey]);
  expect([code, said]).toEqual([0, expect.stringContaining(`${url}: REST API v2 answers`)]);
  expect(said).toMatch(/subject +CN=localhost/);
  expect(said).toMatch(/valid +from \d{4}-\d\d-\d\d to \d{4}-\d\d-\d\d/);
  expect(said).toContain(`SHA-256 fingerprint  ${FINGERPRINT}`);
  expect(said).toMatch(/the certificate of 127\.0\.0\.1:\d+ is not trusted: its CA is unknown/);
  expect(said).toMatch(/account +ok/);
  expect(said).toMatch(/sensors +ok +30 visible/);
  expect(said).toMatch(/- job_name: prtg\n.*\n +static_configs:\n +- targets: \[".+:9705"\]/);
  expect(said).toContain(`node bin/prtg-exporter.js check --config.file ${join(folder, "prtg.yaml")}`);
  expect(said).not.toContain(CREDENTIALS.readApiKey);
  const { server, key } = await loaded(folder);
  expect(server).toMatchObject({ name: "127.0.0.1", url, webUrl: "https://127.0.0.1" });
  expect(server.tls.fingerprints).toEqual([FINGERPRINT.replaceAll(":", "").toLowerCase()]);
  expect(key).toBe(CREDENTIALS.readApiKey);
  for (const name of ["prtg.yaml", "api-key"]) expect(statSync(join(folder, name)).mode & 0o777, name).toBe(0o600);
  const text = readFileSync(join(folder, "prtg.yaml"), "utf8");
  expect(text.match(/^ *# /gm)?.length).toBeGreaterThan(5);
  expect(text).toContain("valid until");
  expect(text).not.toContain(CREDENTIALS.readApiKey);
});

test("takes everything from flags and asks nothing", async () => {
  const { url } = await simulateServer({ tls: TLS });
  const folder = memoryFolder({ key: CREDENTIALS.readApiKey });
  const apiKeyFile = join(folder, "key");
  const { code, said } = await run(folder, undefined, { url, apiKeyFile, caFile: certificatePath("ca.pem") });
  expect([code, said]).toEqual([0, expect.stringContaining("Wrote")]);
  const { server, key } = await loaded(folder);
  expect([server.tls.ca, server.tls.fingerprints]).toEqual([expect.stringContaining("BEGIN CERTIFICATE"), undefined]);
  expect(key).toBe(CREDENTIALS.readApiKey);
  expect(readdirSync(folder).toSorted()).toEqual(["key", "prtg.yaml"]);
});

test("finds the port behind the web interface and keeps the address for links", async () => {
  const simulator = await simulateServer({ tls: TLS, host: "127.77.1.1", port: 1616, classicPort: 0 });
  const folder = memoryFolder({});
  const { code, said } = await run(folder, [`${simulator.classicUrl}/public/login.htm`, "y", CREDENTIALS.readApiKey]);
  expect([code, said]).toEqual([0, expect.stringMatching(/is not REST API v2: .*HTTP 302/)]);
  expect((await loaded(folder)).server).toMatchObject({
    url: "https://127.77.1.1:1616",
    webUrl: simulator.classicUrl,
  });
});

test("sets no address for links from a page at the port of the API", async () => {
  const { url } = await simulateServer({ host: "127.77.1.3", port: 1616, tls: TLS });
  const folder = memoryFolder({});
  const { code } = await run(folder, [`${url}/next/welcome`, "y", CREDENTIALS.readApiKey]);
  expect(code).toBe(0);
  expect((await loaded(folder)).server).toMatchObject({ url, webUrl: "https://127.77.1.3" });
});

test("asks again for a wrong URL and a wrong key", async () => {
  const { url } = await simulateServer();
  const folder = memoryFolder({});
  const keys = ["two words", "WRONGKEY====", "", CREDENTIALS.readApiKey];
  const { code, said } = await run(folder, ["ftp://prtg", "", "http://127.77.1.2:9", url, ...keys]);
  expect(code).toBe(0);
  expect(said).toContain("[INIT_URL_INVALID]");
  expect(said).toContain("[INIT_NO_API]");
  expect(said).toContain(`warning: ${url} has no TLS`);
  expect(said).toContain("The key contains a space");
  expect(said).toMatch(/login +FAILED .*\[API_UNAUTHORIZED\].* -> Check the API key/);
  expect((await loaded(folder)).key).toBe(CREDENTIALS.readApiKey);
});

test("warns about the key of an administrator", async () => {
  const { url } = await simulateServer();
  const { code, said } = await run(memoryFolder({}), [url, CREDENTIALS.apiKey]);
  expect(code).toBe(0);
  expect(said).toMatch(
    /account +warning +the credentials see 11 user accounts, like an administrator.* -> Create an API key/,
  );
});

test.each([
  ["wrong", "login", "WRONGKEY===="],
  ["blind", "sensors", CREDENTIALS.restrictedApiKey],
])("writes nothing with a %s key", async (_kind, subject, apiKey) => {
  const { url } = await simulateServer({ credentials: { ...CREDENTIALS, restrictedTo: [] } });
  const folder = memoryFolder({});
  const { code, said } = await run(folder, undefined, { url, apiKey });
  expect([code, said]).toEqual([1, expect.stringContaining("Nothing was written")]);
  expect(said).toMatch(new RegExp(`${subject} +FAILED`));
  expect(readdirSync(folder)).toEqual([]);
});

test("does not trust a certificate without consent", async () => {
  const { url, requests } = await simulateServer({ tls: TLS });
  const folder = memoryFolder({});
  const refusal = { code: "API_TLS_UNTRUSTED", remedy: expect.stringContaining(`--server.fingerprint ${FINGERPRINT}`) };
  await expect(run(folder, [url, "n"])).rejects.toMatchObject(refusal);
  await expect(run(folder, undefined, { url, apiKey: "key" })).rejects.toMatchObject(refusal);
  await expect(run(folder, undefined, { url, apiKey: "key", fingerprints: ["AB".repeat(32)] })).rejects.toMatchObject({
    code: "API_TLS_FINGERPRINT",
  });
  expect(requests.counts().map(({ route }) => route)).toEqual(["/health"]);
  expect(readdirSync(folder)).toEqual([]);
});

test.each([
  [{}, "--server.url (or PRTG_URL) and --server.api-key-file (or PRTG_API_KEY_FILE or PRTG_API_KEY)"],
  [{ url: "https://prtg.example.com" }, "--server.api-key-file (or PRTG_API_KEY_FILE or PRTG_API_KEY)"],
  [{ apiKey: "key" }, "--server.url (or PRTG_URL)"],
] as const)("without a terminal, %j lacks %s", async (given, missing) => {
  await expect(run(memoryFolder({}), undefined, given)).rejects.toMatchObject({
    code: "INIT_ANSWER_MISSING",
    message: `without a terminal, init needs ${missing}`,
  });
});

test("does not ask for a key that cannot be used", async () => {
  const { url } = await simulateServer();
  await expect(run(memoryFolder({}), undefined, { url, apiKey: "two words" })).rejects.toMatchObject({
    code: "SECRET_UNREADABLE",
    message: expect.stringMatching(/^PRTG_API_KEY contains a space/),
  });
});

test.each(["prtg.yaml", "api-key"])("keeps an existing %s unless forced", async (name) => {
  const { url } = await simulateServer();
  const folder = memoryFolder({ [name]: "old" });
  await expect(run(folder, [])).rejects.toMatchObject({
    code: "INIT_FILE_EXISTS",
    message: `${join(folder, name)} exists`,
    remedy: expect.stringContaining("--force"),
  });
  expect(readdirSync(folder)).toEqual([name]);
  expect((await run(folder, [url, CREDENTIALS.readApiKey], {}, true)).code).toBe(0);
  expect((await loaded(folder)).key).toBe(CREDENTIALS.readApiKey);
  expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
});

test.each([
  ["api-key", undefined, "the API key has the same path"],
  ["key", "key", "the API key has the same path"],
  ["directory", "key", "it is a directory"],
])("refuses to write the configuration to %s with the key file %s", async (out, key, fault) => {
  const folder = memoryFolder({ key: "the-key", "directory/file": "" });
  const given = key === undefined ? {} : { apiKeyFile: join(folder, key) };
  await expect(run(folder, [], given, true, out)).rejects.toMatchObject({
    code: "INIT_UNWRITABLE",
    message: `cannot write ${join(folder, out)}`,
    cause: { message: fault },
  });
  expect(readFileSync(join(folder, "key"), "utf8")).toBe("the-key");
});

test("leaves no key file if it cannot write the configuration", async () => {
  const folder = memoryFolder({});
  const file = join(folder, "prtg.yaml");
  // As a directory that appears after the first look.
  mkdirSync(file);
  const draft = { file, url: "https://prtg.example.com:1616", trust: {}, apiKey: { value: "key" } };
  await expect(writeDraft(draft)).rejects.toMatchObject({ code: "INIT_UNWRITABLE", message: `cannot write ${file}` });
  expect(readdirSync(folder)).toEqual(["prtg.yaml"]);
});

test("keeps an older key file if it cannot write the configuration", async () => {
  const folder = memoryFolder({ "api-key": "old" });
  const file = join(folder, "prtg.yaml");
  mkdirSync(file);
  const draft = { file, url: "https://prtg.example.com:1616", trust: {}, apiKey: { value: "key" } };
  await expect(writeDraft(draft)).rejects.toMatchObject({ code: "INIT_UNWRITABLE" });
  expect(readdirSync(folder).toSorted()).toEqual(["api-key", "prtg.yaml"]);
});

test("replaces a link instead of its target", async () => {
  const { url } = await simulateServer();
  const folder = memoryFolder({ "elsewhere/target": "old" });
  symlinkSync(join(folder, "elsewhere/target"), join(folder, "prtg.yaml"));
  await expect(run(folder, [])).rejects.toMatchObject({ code: "INIT_FILE_EXISTS" });
  expect((await run(folder, [url, CREDENTIALS.readApiKey], {}, true)).code).toBe(0);
  expect(readFileSync(join(folder, "elsewhere/target"), "utf8")).toBe("old");
});

test("reports a missing directory before the first question", async () => {
  const folder = join(memoryFolder({}), "nowhere");
  await expect(run(folder, [])).rejects.toMatchObject({ code: "INIT_UNWRITABLE" });
  mkdirSync(folder);
  await expect(run(folder, undefined)).rejects.toMatchObject({ code: "INIT_ANSWER_MISSING" });
});

test("a flag comes before its variable, and an empty variable is unset", () => {
  const flags: InitFlags = { out: "prtg.yaml", "log.level": "error", "log.format": "json" };
  const env = {
    PRTG_URL: "https://env",
    PRTG_API_KEY_FILE: "",
    PRTG_API_KEY: "key",
    PRTG_CA_FILE: "ca.pem",
    PRTG_FINGERPRINTS: "AA, BB",
  };
  const given = {
    url: "https://env",
    apiKeyFile: undefined,
    apiKey: "key",
    caFile: "ca.pem",
    fingerprints: ["AA", "BB"],
  };
  expect(givenBy(flags, env)).toEqual(given);
  expect(givenBy({ ...flags, "server.url": "https://flag", "server.apiKeyFile": "file" }, env)).toEqual({
    ...given,
    url: "https://flag",
    apiKeyFile: "file",
    apiKey: undefined,
  });
});
