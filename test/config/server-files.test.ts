import { resolve } from "node:path";
import { describe, expect, test } from "vitest";
import type { ServerConfig } from "../../src/config/resolve.ts";
import { refuseBadFiles } from "../../src/config/server-files.ts";
import { FILE, failureOf, load, loadWithFiles, SECRET } from "./support.ts";

const FROM = 'servers_from: { files: "/d/*.yaml" }\n';
const AUTH = "auth: { api_key_file: /run/secrets/key }";

function entry(name: string, more = ""): string {
  return `{ name: ${name}, url: "https://${name}.example.com", ${AUTH}${more} }`;
}

function namesOf({ config }: { readonly config: { readonly servers: readonly Pick<ServerConfig, "name">[] } }) {
  return config.servers.map(({ name }) => name);
}

function faultsOf({ badServerFiles }: Awaited<ReturnType<typeof loadWithFiles>>) {
  return Object.fromEntries(badServerFiles.map(({ path, error }) => [path, error.message]));
}

describe("servers from files", () => {
  test("follow those of the configuration, in order of paths, with one or a list per file", async () => {
    const files = {
      "/d/b.yaml": `[${entry("lima")}, ${entry("oslo")}]`,
      "/d/a.yaml": entry("cairo"),
      "/d/none.yaml": "[]",
    };
    const loaded = await loadWithFiles(`servers: [${entry("hq")}]\n${FROM}`, files);
    expect(namesOf(loaded)).toEqual(["hq", "cairo", "lima", "oslo"]);
    expect(loaded.config).toMatchObject({
      badServerFiles: 0,
      serversFrom: { files: ["/d/*.yaml"], refreshIntervalMs: 30_000 },
    });
    expect(loaded.config.servers[1]?.limits.concurrency).toBe(4);
  });

  test("can be the only servers, and can be missing", async () => {
    const loaded = await loadWithFiles(FROM, {});
    expect(namesOf(loaded)).toEqual([]);
    expect(loaded.unmatchedPatterns).toEqual(["/d/*.yaml"]);
    const error = await failureOf(load("servers: []\nstate_dirr: x\n"));
    expect(error.message).toContain("servers: no server is configured: give servers or servers_from");
    expect(error.message).toContain("did you mean `state_dir`");
  });

  test("override the environment, like other servers", async () => {
    const env = { PRTG_URL: "https://env.example.com", PRTG_API_KEY: "key" };
    const loaded = await loadWithFiles(FROM, { "/d/a.yaml": entry("cairo") }, new Map(), env);
    expect(namesOf(loaded)).toEqual(["cairo"]);
    expect(loaded.ignoredVariables).toEqual(["PRTG_URL", "PRTG_API_KEY"]);
  });

  test("resolve paths from their folder and take references", async () => {
    const files = {
      "/d/a.yaml": 'url: "https://${HOST:-a}.example.com"\nauth: { api_key_file: keys/a }\nname: a\n',
      "/d/keys/a": `${SECRET}\n`,
    };
    const { config } = await loadWithFiles(FROM, files);
    const { url, credentials } = config.servers[0] ?? expect.unreachable();
    expect(url).toBe("https://a.example.com");
    if (credentials.kind !== "api_key") return expect.unreachable();
    expect(credentials.apiKey.description).toBe(`file ${resolve("/d/keys/a")}`);
    expect((await credentials.apiKey.read()).reveal()).toBe(SECRET);
  });

  test.each(["servers/**/a.yaml", "d*/a.yaml", "d/*", "d/*.txt"])("reject the path %s", async (path) => {
    const error = await failureOf(load(`servers_from: { files: "${path}" }\n`));
    expect(error.message).toContain(`${FILE}:1:24: servers_from.files: expected a path of .yaml, .yml or .json files`);
  });

  test("fail if the folder is unreadable", async () => {
    const listFiles = () => Promise.reject(Object.assign(new Error("no"), { code: "EACCES" }));
    const readFile = async () => FROM;
    const { loadConfig } = await import("../../src/config/load.ts");
    const serverFiles = { listFiles, readFile, lastGood: new Map() };
    const error = await failureOf(loadConfig({ file: FILE, env: {}, readFile, serverFiles }));
    expect(error.message).toBe(
      `${FILE}:1:24: servers_from.files: the folder of "/d/*.yaml" cannot be read: permission denied`,
    );
  });
});

describe("wrong file of a server", () => {
  const GOOD = { "/d/b.yaml": entry("lima") };
  const BAD: Readonly<Record<string, readonly [content: string, fault: string]>> = {
    syntax: ["{ name: [", "/d/a.yaml:1:10: "],
    "an unknown key of one": [
      `name: x\nurl: https://x\n${AUTH}\nlimitz: {}\n`,
      "/d/a.yaml:4:1: limitz: unknown key, did you mean `limits`?",
    ],
    "an unknown key in a list": [
      `- ${entry("x", ", limits: { pace: 1 }")}`,
      "/d/a.yaml:1:96: [0].limits.pace: unknown",
    ],
    "a server without a URL": [`name: x\n${AUTH}\n`, "/d/a.yaml:1:1: url: missing"],
    "a literal secret": [
      `url: https://x\nauth: { api_key: ${SECRET} }\n`,
      "/d/a.yaml:2:18: auth.api_key: expected a reference to an environment variable",
    ],
    "a literal secret in a list": [
      `[{ url: https://x, auth: { api_key: ${SECRET} } }]`,
      "[0].auth.api_key: expected a ref",
    ],
    "a secret that is not there": [
      `[${entry("x").replace("key }", "gone }")}]`,
      "[0].auth.api_key_file: file /run/secrets/gone cannot be read: no such file",
    ],
    "a variable that is not set": ["url: ${NONE}\n", "/d/a.yaml:1:6: url: environment variable NONE is not set"],
    "something large": [
      `# ${"x".repeat(1 << 20)}\n${entry("x")}`,
      "/d/a.yaml: the file cannot be read: it is larger than 1,048,576 bytes",
    ],
    nothing: ["", "/d/a.yaml:1:1: expected a map, found nothing"],
    "a name twice": [`[${entry("x")}, ${entry("x")}]`, "[1].name: expected a unique name"],
    "a name of the configuration": [
      `[${entry("y")}, ${entry("hq")}]`,
      `[1].name: expected a unique name, found "hq": ${FILE} has the same name`,
    ],
  };

  test.each(Object.keys(BAD))("%s: the start leaves it out", async (what) => {
    const [content, fault] = BAD[what] ?? expect.unreachable();
    const loaded = await loadWithFiles(`servers: [${entry("hq")}]\n${FROM}`, { ...GOOD, "/d/a.yaml": content });
    expect(namesOf(loaded)).toEqual(["hq", "lima"]);
    expect(loaded.config.badServerFiles).toBe(1);
    const faults = faultsOf(loaded);
    expect(Object.keys(faults)).toEqual(["/d/a.yaml"]);
    expect(faults["/d/a.yaml"]).toContain(fault);
    expect(JSON.stringify(faults)).not.toContain(SECRET);
    expect(() => refuseBadFiles(loaded.badServerFiles)).toThrow(fault);
  });

  test("reports a literal secret once, even with another fault, next to faults of other keys", async () => {
    const content = "[{ url: https://x, auth: { username: 7, password: 1234567 } }, { url: https://y, auth: 5 }]";
    const { badServerFiles } = await loadWithFiles(FROM, { "/d/a.yaml": content });
    const problems = badServerFiles[0]?.error.problems ?? [];
    expect(problems.map(({ key }) => key)).toEqual(["[0].auth.username", "[0].auth.password", "[1].auth"]);
    expect(problems[1]?.text).toContain("This file must not contain secrets");
  });

  test("keeps its old servers after a change until it is valid or deleted", async () => {
    const lastGood = new Map<string, readonly ServerConfig[]>();
    const at = async (content: string) => loadWithFiles(FROM, { ...GOOD, "/d/a.yaml": content }, lastGood);
    const first = await at(entry("cairo"));
    const spoilt = await at("{ name: [");
    expect(namesOf(spoilt)).toEqual(["cairo", "lima"]);
    expect(spoilt.config.servers[0]).toBe(first.config.servers[0]);
    expect(spoilt.badServerFiles).toMatchObject([{ path: "/d/a.yaml", kept: ["cairo"] }]);
    const mended = await at(entry("oslo"));
    expect(namesOf(mended)).toEqual(["oslo", "lima"]);
    expect(mended.config.badServerFiles).toBe(0);
    expect(namesOf(await loadWithFiles(FROM, GOOD, lastGood))).toEqual(["lima"]);
    // Removed files do not restore old content.
    expect(namesOf(await at("{ name: ["))).toEqual(["lima"]);
  });

  test("is the second by path if two have the same name, even if it came first", async () => {
    const lastGood = new Map<string, readonly ServerConfig[]>();
    const first = await loadWithFiles(FROM, { "/d/b.yaml": `[${entry("lima")}, ${entry("oslo")}]` }, lastGood);
    expect(namesOf(first)).toEqual(["lima", "oslo"]);
    const both = await loadWithFiles(
      FROM,
      { "/d/a.yaml": entry("lima"), "/d/b.yaml": `[${entry("lima")}, ${entry("oslo")}]` },
      lastGood,
    );
    // Keeps its last good content, except names that another file now has.
    expect(namesOf(both)).toEqual(["lima", "oslo"]);
    expect(both.badServerFiles).toMatchObject([{ path: "/d/b.yaml", kept: ["oslo"] }]);
    expect(faultsOf(both)["/d/b.yaml"]).toContain('found "lima": /d/a.yaml has the same name');
  });
});
