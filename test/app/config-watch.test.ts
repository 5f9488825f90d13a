import { pino } from "pino";
import { expect, test } from "vitest";
import { ConfigFiles, watchConfig } from "../../src/app/config-watch.ts";
import { ManualClock } from "../support/manual-clock.ts";

function setUp() {
  const content: Record<string, string> = { "/c.yaml": "a", "/ca.pem": "one", "/other": "x" };
  const readFile = async (path: string) => {
    const text = content[path];
    if (text === undefined) throw new Error("ENOENT");
    return text;
  };
  const listFiles = async (pattern: string) => {
    const folder = pattern.replace("*", "");
    return Object.keys(content).filter((path) => path.startsWith(folder));
  };
  const files = new ConfigFiles(readFile, listFiles);
  const reads = (...paths: string[]) => files.read(({ readFile: read }) => Promise.all(paths.map(read)));
  return { content, files, reads };
}

test("the watch follows the content of files that were read", async () => {
  const { content, files, reads } = setUp();
  await reads("/c.yaml", "/ca.pem");
  expect(await files.changes()).toBe("");
  content["/other"] = "y";
  expect(await files.changes()).toBe("");
  content["/ca.pem"] = "two";
  const changed = await files.changes();
  expect(changed).toMatch(/^\/ca\.pem [0-9a-f]{64}$/);
  content["/ca.pem"] = "three";
  expect(await files.changes()).not.toBe(changed);
  content["/ca.pem"] = "one";
  expect(await files.changes()).toBe("");
  delete content["/ca.pem"];
  expect(await files.changes()).toBe("/ca.pem absent");
});

test("a failed read updates its files and forgets none", async () => {
  const { content, files, reads } = setUp();
  await reads("/c.yaml", "/ca.pem");
  content["/c.yaml"] = "bad";
  const failing = files.read(async ({ readFile }) => {
    await readFile("/c.yaml");
    throw new Error("wrong");
  });
  await expect(failing).rejects.toThrow("wrong");
  expect(await files.changes()).toBe("");
  content["/ca.pem"] = "two";
  expect(await files.changes()).toContain("/ca.pem");
  await reads("/c.yaml");
  expect(await files.changes()).toBe("");
});

test("a new file counts as a change", async () => {
  const { content, files, reads } = setUp();
  await expect(reads("/new")).rejects.toThrow("ENOENT");
  expect(await files.changes()).toBe("");
  content["/new"] = "here";
  expect(await files.changes()).toContain("/new");
});

test("each new content causes one reload after it settles", async () => {
  const { content, files, reads } = setUp();
  await reads("/c.yaml");
  const clock = new ManualClock();
  const seen: (string | undefined)[] = [];
  const stopping = new AbortController();
  const reload = async () => {
    seen.push(content["/c.yaml"]);
    await reads("/c.yaml");
  };
  const watched = () => ({ intervalMs: 30_000, scope: "all" }) as const;
  const watching = watchConfig({ files, watched, clock, log: pino({ level: "silent" }), reload }, stopping.signal);
  await clock.advance(300_000);
  expect(seen).toEqual([]);
  content["/c.yaml"] = "half";
  await clock.advance(30_000);
  content["/c.yaml"] = "whole";
  await clock.advance(1_000);
  expect(seen).toEqual([]);
  await clock.advance(1_000);
  expect(seen).toEqual(["whole"]);
  await clock.advance(300_000);
  expect(seen).toEqual(["whole"]);
  // Reverted before it settled.
  content["/c.yaml"] = "slip";
  await clock.advance(30_000);
  content["/c.yaml"] = "whole";
  await clock.advance(60_000);
  expect(seen).toEqual(["whole"]);
  stopping.abort();
  await watching;
});

test("new and deleted files of servers count as changes, but not their other files", async () => {
  const { content, files } = setUp();
  content["/d/a"] = "a";
  await files.read(async ({ readFile, ofServers }) => {
    await readFile("/c.yaml");
    await Promise.all((await ofServers.listFiles("/d/*")).map(ofServers.readFile));
    await ofServers.readFile("/ca.pem");
    await readFile("/ca.pem");
  });
  content["/c.yaml"] = "other";
  expect(await files.changes("servers")).toBe("");
  expect(await files.changes("all")).toContain("/c.yaml");
  content["/d/b"] = "b";
  expect(await files.changes("servers")).toMatch(/^\/d\/\* [0-9a-f]{64}$/);
  delete content["/d/b"];
  expect(await files.changes("servers")).toBe("");
  content["/d/a"] = "A";
  content["/ca.pem"] = "two";
  const changed = await files.changes("servers");
  expect(changed).toContain("/d/a ");
  expect(changed).toContain("/ca.pem ");
});

test("dropping 500 files causes one reload, and the watch sleeps without files", async () => {
  const { content, files } = setUp();
  const clock = new ManualClock();
  const stopping = new AbortController();
  const seen: number[] = [];
  let isWatched = false;
  const reload = () =>
    files.read(async ({ ofServers }) => {
      const paths = await ofServers.listFiles("/d/*");
      seen.push(paths.length);
      await Promise.all(paths.map(ofServers.readFile));
    });
  await reload();
  const watched = () => (isWatched ? ({ intervalMs: 30_000, scope: "servers" } as const) : undefined);
  const watching = watchConfig({ files, watched, clock, log: pino({ level: "silent" }), reload }, stopping.signal);
  for (let file = 0; file < 250; file++) content[`/d/${file}`] = "x";
  await clock.advance(60_000);
  expect(seen).toEqual([0]);
  isWatched = true;
  await clock.advance(60_000);
  for (let file = 250; file < 500; file++) content[`/d/${file}`] = "x";
  await clock.advance(2_000);
  expect(seen).toEqual([0, 500]);
  await clock.advance(120_000);
  expect(seen).toEqual([0, 500]);
  stopping.abort();
  await watching;
});
