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
  const files = new ConfigFiles(readFile);
  const reads = (...paths: string[]) => files.read((read) => Promise.all(paths.map(read)));
  return { content, files, reads };
}

test("what was read is watched, by its content", async () => {
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

test("a reading that fails changes what is known of the files it got to, and forgets none", async () => {
  const { content, files, reads } = setUp();
  await reads("/c.yaml", "/ca.pem");
  content["/c.yaml"] = "bad";
  const failing = files.read(async (read) => {
    await read("/c.yaml");
    throw new Error("wrong");
  });
  await expect(failing).rejects.toThrow("wrong");
  expect(await files.changes()).toBe("");
  content["/ca.pem"] = "two";
  expect(await files.changes()).toContain("/ca.pem");
  await reads("/c.yaml");
  expect(await files.changes()).toBe("");
});

test("a file that appears is a change", async () => {
  const { content, files, reads } = setUp();
  await expect(reads("/new")).rejects.toThrow("ENOENT");
  expect(await files.changes()).toBe("");
  content["/new"] = "here";
  expect(await files.changes()).toContain("/new");
});

test("one reload for a content, once it has settled", async () => {
  const { content, files, reads } = setUp();
  await reads("/c.yaml");
  const clock = new ManualClock();
  const seen: (string | undefined)[] = [];
  const stopping = new AbortController();
  const reload = async () => {
    seen.push(content["/c.yaml"]);
    await reads("/c.yaml");
  };
  const watching = watchConfig(
    { files, intervalMs: 30_000, clock, log: pino({ level: "silent" }), reload },
    stopping.signal,
  );
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
  // Taken back before it settled: nothing has changed.
  content["/c.yaml"] = "slip";
  await clock.advance(30_000);
  content["/c.yaml"] = "whole";
  await clock.advance(60_000);
  expect(seen).toEqual(["whole"]);
  stopping.abort();
  await watching;
});
