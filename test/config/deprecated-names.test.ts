import { describe, expect, test } from "vitest";
import { type DeprecatedName, deprecatedFlags } from "../../src/config/deprecated-names.ts";
import { loadConfig } from "../../src/config/load.ts";
import { FILE, filesWith, SECRET } from "./support.ts";

const NAMES: readonly DeprecatedName[] = [
  { kind: "key", name: "servers[].limits.timeout", since: "1.1.0", use: "use `servers[].limits.total_timeout`" },
  { kind: "key", name: "mapping.presets[]", since: "1.2.0", use: "use `mapping.rules`" },
  { kind: "flag", name: "serve --once", since: "1.1.0", use: "use `check`" },
  { kind: "metric", name: "prtg_up", since: "1.1.0", use: "use `prtg_exporter_up`" },
];

async function deprecatedIn(text: string, serverFiles: Readonly<Record<string, string>> = {}) {
  const readFile = filesWith({ "/key": SECRET, [FILE]: text, ...serverFiles });
  const { config } = await loadConfig({
    file: FILE,
    env: { KEY: SECRET },
    readFile,
    serverFiles: { listFiles: async () => Object.keys(serverFiles), readFile, lastGood: new Map() },
    deprecatedNames: NAMES,
  });
  return config.deprecated;
}

const server = (more: string) => `{ name: a, url: "https://a.example.com", auth: { api_key: "\${KEY}" }${more} }`;

describe("a deprecated key", () => {
  test("is found at each place, with its successor", async () => {
    const text = `servers:
  - ${server("")}
  - { name: b, url: "https://b.example.com", auth: { api_key: "\${KEY}" }, limits: { timeout: 5s } }
mapping:
  presets: [ping]
`;
    expect(await deprecatedIn(text)).toEqual([
      "prtg.yaml:3:85: servers[1].limits.timeout: deprecated since 1.1.0: use `servers[].limits.total_timeout`",
      "prtg.yaml:5:3: mapping.presets: deprecated since 1.2.0: use `mapping.rules`",
    ]);
  });

  test("is found in files of servers_from, with one server or a list", async () => {
    const slow = ", limits: { timeout: 5s }";
    const one = await deprecatedIn('servers_from: { files: "/d/*.yaml" }\n', { "/d/one.yaml": server(slow) });
    expect(one).toEqual([expect.stringMatching(/^\/d\/one\.yaml:1:\d+: limits\.timeout: deprecated since 1\.1\.0/)]);
    const list = await deprecatedIn('servers_from: { files: "/d/*.yaml" }\n', { "/d/list.yaml": `- ${server(slow)}` });
    expect(list).toEqual([
      expect.stringMatching(/^\/d\/list\.yaml:1:\d+: \[0\]\.limits\.timeout: deprecated since 1\.1\.0/),
    ]);
  });

  test("is not found in a configuration without it", async () => {
    expect(await deprecatedIn(`servers: [${server(", limits: { total_timeout: 90s }")}]\n`)).toEqual([]);
  });
});

test("a deprecated flag is found in its command only", () => {
  expect(deprecatedFlags("serve", ["--log.level", "--once"], NAMES)).toEqual([
    "--once: deprecated since 1.1.0: use `check`",
  ]);
  expect(deprecatedFlags("check", ["--once"], NAMES)).toEqual([]);
  expect(deprecatedFlags("serve", ["--log.level"], NAMES)).toEqual([]);
});
