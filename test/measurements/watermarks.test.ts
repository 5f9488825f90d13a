import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Coverage } from "../../src/measurements/measurement.ts";
import { encodeWatermarks, Watermarks, watermarkFileName } from "../../src/measurements/watermarks.ts";
import { createStateFiles, type StateFiles } from "../../src/state/state-files.ts";
import { upTo } from "./support/coverage.ts";

const AT = Date.UTC(2026, 0, 15, 12);
const FILE = watermarkFileName("hq");

async function temporaryDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "watermarks-"));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

const open = (directory: string) => Watermarks.open("hq", createStateFiles(directory));

async function saved(directory: string, marks: Record<string, number>): Promise<Watermarks> {
  const watermarks = await open(directory);
  for (const [sensorId, at] of Object.entries(marks)) watermarks.move(sensorId, upTo(at));
  await watermarks.save();
  return watermarks;
}

const entries = (watermarks: Watermarks) =>
  Object.fromEntries(watermarks.entries().map(([sensorId, { until }]) => [sensorId, until]));

describe("Watermarks", () => {
  test("start empty and survive the process", async () => {
    const directory = join(await temporaryDirectory(), "state", "of", "prtg");
    const first = await open(directory);
    expect(first.report).toEqual({ found: "new", file: FILE, message: undefined });
    first.move("2490", upTo(AT));
    first.move("2491", upTo(AT + 5_000));
    await first.save();
    const second = await open(directory);
    expect(second.report).toEqual({ found: "good", file: FILE, message: undefined });
    expect(entries(second)).toEqual({ 2490: AT, 2491: AT + 5_000 });
    expect(await readdir(directory)).toEqual([FILE]);
    expect((await stat(join(directory, FILE))).mode & 0o777).toBe(0o600);
  });

  test("never move back", async () => {
    const watermarks = await open(await temporaryDirectory());
    watermarks.move("2490", upTo(AT));
    watermarks.move("2490", upTo(AT - 1));
    expect(watermarks.get("2490")?.until).toBe(AT);
  });

  test("know after a restart how each of them ends, without a field in the file", async () => {
    const directory = await temporaryDirectory();
    const average: Coverage = { until: AT + 299_999, kind: "average" };
    const failed: Coverage = { until: AT, kind: "failed scan" };
    const watermarks = await saved(directory, { 2490: AT });
    watermarks.move("2491", average);
    watermarks.move("2492", failed);
    await watermarks.save();
    const times = `{"2490":${AT},"2491":${AT + 299_999},"2492":${AT + 1}}`;
    expect(await readFile(join(directory, FILE), "utf8")).toContain(times);
    expect([...(await open(directory)).entries()]).toEqual([
      ["2490", upTo(AT)],
      ["2491", average],
      ["2492", failed],
    ]);
  });

  test("can be deleted", async () => {
    const directory = await temporaryDirectory();
    const watermarks = await saved(directory, { 2490: AT, 2491: AT });
    watermarks.delete("2490");
    expect(watermarks.changed).toBe(true);
    await watermarks.save();
    expect(entries(await open(directory))).toEqual({ 2491: AT });
  });

  test("are written only after a change", async () => {
    const directory = await temporaryDirectory();
    const watermarks = await saved(directory, { 2490: AT });
    await rm(join(directory, FILE));
    watermarks.move("2490", upTo(AT));
    watermarks.delete("9");
    await watermarks.save();
    expect(await readdir(directory)).toEqual([]);
  });

  test("stay separate by server", async () => {
    const files = createStateFiles(await temporaryDirectory());
    for (const [server, at] of [
      ["hq", AT],
      ["branch", AT + 2_000],
    ] as const) {
      const watermarks = await Watermarks.open(server, files);
      watermarks.move("2490", upTo(at));
      await watermarks.save();
    }
    expect((await Watermarks.open("hq", files)).get("2490")?.until).toBe(AT);
    expect((await Watermarks.open("branch", files)).get("2490")?.until).toBe(AT + 2_000);
  });
});

describe("unusable file", () => {
  test.each([
    { found: "torn", text: encodeWatermarks("hq", new Map([["1", AT]])).slice(0, -4) },
    { found: "foreign", text: "something else" },
  ])("moves aside if it is $found, with a report, and watermarks restart", async ({ found, text }) => {
    const directory = await temporaryDirectory();
    await writeFile(join(directory, FILE), text);
    const watermarks = await open(directory);
    expect(watermarks.report).toEqual({ found, file: FILE, message: expect.stringMatching(/^it/) });
    expect(watermarks.size).toBe(0);
    expect(await readFile(join(directory, `${FILE}.${found}`), "utf8")).toBe(text);
    watermarks.move("2490", upTo(AT));
    await watermarks.save();
    expect(entries(await open(directory))).toEqual({ 2490: AT });
  });

  test("gives a report without read permission", async () => {
    const directory = await temporaryDirectory();
    const files: StateFiles = {
      ...createStateFiles(directory),
      read: () => Promise.reject(new Error("EIO: the disk is dying")),
    };
    const { report, size } = await Watermarks.open("hq", files);
    expect(report).toEqual({ found: "unreadable", file: FILE, message: "EIO: the disk is dying" });
    expect(size).toBe(0);
  });

  test("is unaffected by partial files of another process", async () => {
    const directory = await temporaryDirectory();
    await saved(directory, { 2490: AT });
    await writeFile(join(directory, `${FILE}.tmp`), "half a fi");
    const watermarks = await open(directory);
    expect(entries(watermarks)).toEqual({ 2490: AT });
    watermarks.move("2490", upTo(AT + 1_000));
    await watermarks.save();
    expect(entries(await open(directory))).toEqual({ 2490: AT + 1_000 });
    expect(await readdir(directory)).toEqual([FILE]);
  });
});

const STEPS = ["write half", "write", "rename", "sync directory"] as const;

/** Files that work up to a step, the process's last. */
function crashingAt(files: StateFiles, crash: (typeof STEPS)[number], done: string[]): StateFiles {
  const step = async (name: (typeof STEPS)[number], act: () => Promise<void>): Promise<void> => {
    await act();
    done.push(name);
    if (name === crash) await new Promise(() => undefined);
  };
  return {
    read: (name) => files.read(name),
    write: async (name, text) => {
      await step("write half", () => files.write(name, text.slice(0, text.length / 2)));
      await step("write", () => files.write(name, text));
    },
    rename: (from, to) => step("rename", () => files.rename(from, to)),
    syncDirectory: () => step("sync directory", () => files.syncDirectory()),
  };
}

describe("crash during a write of watermarks", () => {
  test.each(STEPS)("leaves the old ones or the new ones after the step %s", async (crash) => {
    const directory = await temporaryDirectory();
    await saved(directory, { 2490: AT, 2491: AT });
    const done: string[] = [];
    const dying = await Watermarks.open("hq", crashingAt(createStateFiles(directory), crash, done));
    dying.move("2490", upTo(AT + 1_000));
    dying.move("2492", upTo(AT + 2_000));
    void dying.save();
    await expect.poll(() => done.at(-1)).toBe(crash);
    const after = await open(directory);
    expect(after.report.found).toBe("good");
    expect(entries(after)).toEqual(
      crash === "write half" || crash === "write"
        ? { 2490: AT, 2491: AT }
        : { 2490: AT + 1_000, 2491: AT, 2492: AT + 2_000 },
    );
  });

  test("is harmless by the order of the steps", async () => {
    const done: string[] = [];
    const directory = await temporaryDirectory();
    const watermarks = await Watermarks.open("hq", crashingAt(createStateFiles(directory), "sync directory", done));
    watermarks.move("2490", upTo(AT));
    void watermarks.save();
    await expect.poll(() => done).toEqual(["write half", "write", "rename", "sync directory"]);
  });
});

describe("failed write", () => {
  test.each(["write", "rename", "syncDirectory"] as const)(
    "repeats with the next save after a failure at %s",
    async (step) => {
      const directory = await temporaryDirectory();
      const files = createStateFiles(directory);
      let broken = true;
      const watermarks = await Watermarks.open("hq", {
        ...files,
        [step]: (...names: [string, string]) =>
          broken
            ? Promise.reject(new Error("ENOSPC"))
            : (files[step] as (...names: string[]) => Promise<void>)(...names),
      });
      watermarks.move("2490", upTo(AT));
      await expect(watermarks.save()).rejects.toThrow("ENOSPC");
      expect(watermarks.changed).toBe(true);
      broken = false;
      await watermarks.save();
      expect(watermarks.changed).toBe(false);
      expect(entries(await open(directory))).toEqual({ 2490: AT });
    },
  );

  test("names the reason in a read-only directory", async () => {
    const directory = await temporaryDirectory();
    const inTheWay = join(directory, "file");
    await writeFile(inTheWay, "");
    await chmod(inTheWay, 0o600);
    const watermarks = await open(inTheWay);
    expect(watermarks.report.found).toBe("unreadable");
    watermarks.move("2490", upTo(AT));
    await expect(watermarks.save()).rejects.toThrow(/ENOTDIR|EEXIST/);
  });

  test("waits for other saves, and the last one has everything", async () => {
    const directory = await temporaryDirectory();
    const watermarks = await open(directory);
    const saves: Promise<void>[] = [];
    for (let index = 0; index < 20; index++) {
      watermarks.move(String(index), upTo(AT));
      saves.push(watermarks.save());
    }
    await Promise.all(saves);
    expect((await open(directory)).size).toBe(20);
  });
});
