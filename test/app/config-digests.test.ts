import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type ConfigDigests, digest, digestConfig } from "../../src/app/config-digests.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { loadTestConfig } from "../support/test-config.ts";

const SERVER = 'name: hq, url: "https://prtg:1616", auth: { api_key: "${KEY}" }';

async function digests(settings: string, server = SERVER, key?: string): Promise<ConfigDigests> {
  return digestConfig(await loadTestConfig(`servers: [{ ${server} }]\n${settings}`, key));
}

/** Digests that differ. */
function differences(one: ConfigDigests, other: ConfigDigests): string[] {
  const differs = {
    whole: one.whole !== other.whole,
    hash: one.hash !== other.hash,
    servers: one.servers.get("hq") !== other.servers.get("hq"),
    shape: one.shape !== other.shape,
  };
  return Object.entries(differs).flatMap(([name, isOther]) => (isOther ? [name] : []));
}

test("a digest depends on all members, and not on the order of keys", () => {
  expect(digest({ a: 1, b: [2, 3] })).toBe(digest({ b: [2, 3], a: 1 }));
  expect(digest(undefined)).toMatch(/^[0-9a-f]{64}$/);
  const values = [
    [1, 2],
    [2, 1],
    { a: new Set(["x"]) },
    { a: new Set(["y"]) },
    { a: new Map([["k", "x"]]) },
    { a: new Map([["k", "y"]]) },
  ];
  expect(new Set(values.map(digest)).size).toBe(values.length);
});

test("the hash of a configuration is a number that a metric can show", async () => {
  const { hash, whole } = await digests("");
  expect(Number.isSafeInteger(hash)).toBe(true);
  expect(hash).toBeLessThan(2 ** 48);
  expect(hash).toBeGreaterThan(0);
  expect((await digests("", SERVER, "another-key")).whole).not.toBe(whole);
  expect((await digests("", SERVER, "another-key")).hash).toBe(hash);
});

describe("digests of a configuration", () => {
  test.each([
    ["comments and spacing", "# why\nstale_after:   5m\n", SERVER],
    ["the order of keys", "stale_after: 5m", 'auth: { api_key: "${KEY}" }, url: "https://prtg:1616", name: hq'],
    ["other units", "stale_after: 300s", SERVER],
  ])("stay the same with %s", async (_what, settings, server) => {
    expect(differences(await digests("stale_after: 5m"), await digests(settings, server))).toEqual([]);
  });

  test.each([
    ["limits.max_series", "limits: { max_series: 100 }", SERVER, ["whole", "hash"]],
    ["a rule", "mapping: { rules: [{ drop: true, match: { channel: a } }] }", SERVER, ["whole", "hash", "shape"]],
    ["labels.keep", "labels: { keep: [sensor] }", SERVER, ["whole", "hash", "shape"]],
    ["labels.rename", "labels: { rename: { sensor: a } }", SERVER, ["whole", "hash", "shape"]],
    ["a URL", "", SERVER.replace("prtg:", "other:"), ["whole", "hash", "servers"]],
    ["a limit of a server", "", `${SERVER}, limits: { concurrency: 1 }`, ["whole", "hash", "servers"]],
    // Neither needs another connection.
    ["a selection", "", `${SERVER}, select: { include: [{ id: "40" }] }`, ["whole", "hash"]],
    ["a link", "", `${SERVER}, web_url: "https://web"`, ["whole", "hash"]],
  ])("differ with %s", async (_what, settings, server, different) => {
    expect(differences(await digests(""), await digests(settings, server))).toEqual(different);
  });

  test("do not depend on the order of labels to keep", async () => {
    const [one, other] = ["[sensor, device]", "[device, sensor]"].map((keep) => digests(`labels: { keep: ${keep} }`));
    expect((await one)?.shape).toBe((await other)?.shape);
  });

  test("have an open hash that no secret changes", async () => {
    const [one, other] = ["a".repeat(56), "b".repeat(56)];
    expect(differences(await digests("", SERVER, one), await digests("", SERVER, other))).toEqual(["whole", "servers"]);
    const server = `name: hq, url: "https://prtg", auth: { api_key_file: ${join(temporaryFolder({ key: "k" }), "key")} }`;
    const otlp = 'otlp: { endpoint: "http://collector", headers: { x-key: "${KEY}" } }';
    expect(differences(await digests(otlp, server, one), await digests(otlp, server, other))).toEqual(["whole"]);
  });

  test("follow the content of files that the push reads", async () => {
    const folder = temporaryFolder({ header: "one" });
    const path = join(folder, "header");
    const config = () => digests(`otlp: { endpoint: "http://collector", header_files: { x-tenant: ${path} } }`);
    const before = await config();
    expect(differences(before, await config())).toEqual([]);
    writeFileSync(path, "two");
    expect(differences(before, await config())).toEqual(["whole"]);
  });

  test("keep the last secret of a server whose file is wrong now", async () => {
    const path = join(temporaryFolder({ key: "one" }), "key");
    const config = await loadTestConfig(
      `servers: [{ name: hq, url: "https://prtg", auth: { api_key_file: ${path} } }]`,
    );
    const before = await digestConfig(config);
    writeFileSync(path, "");
    expect(differences(before, await digestConfig(config, before.secrets))).toEqual([]);
    const unread = { ...config, servers: config.servers.map((server) => ({ ...server })) };
    await expect(digestConfig(unread, before.secrets)).rejects.toMatchObject({ code: "SECRET_UNREADABLE" });
  });
});
