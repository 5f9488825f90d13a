import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { tryFileLock } from "../../src/lib/durable-file.ts";
import { createStateFiles, inspectStateDirectory } from "../../src/state/state-files.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const NOBODY = 65_534;

function modeOf(path: string): string {
  return (lstatSync(path).mode & 0o7777).toString(8);
}

/** Modes by path, recursive. */
function modesBelow(folder: string): Record<string, string> {
  const paths = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return Object.fromEntries(paths.map((path) => [path.replaceAll(/[0-9a-f-]{36}/g, "ID"), modeOf(join(folder, path))]));
}

/** In its own process. `uid`: as another user. */
function run(program: string, umask: number, uid?: number) {
  const prelude = `process.umask(${umask}); const from = (path) => import(${JSON.stringify(`${ROOT}src/`)} + path);`;
  const args = ["--input-type=module", "--eval", `${prelude}\n${program}`];
  const { status, stderr, stdout } = spawnSync(process.execPath, args, { encoding: "utf8", ...(uid && { uid }) });
  return { status, stderr, stdout };
}

/** Writes everything that `state_dir` may contain into a new folder. */
function writeState(directory: string): string {
  return `
    const { claimServers } = await from("state/state-claims.ts");
    const { createStateFiles } = await from("state/state-files.ts");
    const { systemClock: clock } = await from("lib/clock.ts");
    const { OutputFolder } = await from("backfill/output-folder.ts");
    const directory = ${JSON.stringify(directory)};
    await claimServers({ directory, servers: ["hq"], clock, waitMs: 0, onWait: () => {} });
    const files = createStateFiles(directory);
    await files.write("watermarks-hq.json.tmp", "text");
    await files.rename("watermarks-hq.json.tmp", "watermarks-hq.json");
    await files.write("events-hq.journal", "text");
    await files.append("events-hq.journal", "more");
    const folder = await OutputFolder.open(directory + "/backfill/hq", true);
    await folder.writeJournal(folder.journal);
    await folder.writePlan({ families: [], sensors: [] });
    const parts = await folder.openParts(new Map());
    parts.add(0, new Map([[20000, new Map([[0, [1, 2]]])]]));
    await parts.write();
    await folder.writeCursor({ days: 0, rows: 0, samples: 0, rejected: 0, message: "" });
  `;
}

describe.each([0o000, 0o022, 0o077])("with the umask %i", (umask) => {
  test("the directory and files of the exporter are private", () => {
    const directory = join(temporaryFolder({}), "above", "state");
    expect(run(writeState(directory), umask)).toMatchObject({ status: 0 });
    expect(modeOf(directory)).toBe("700");
    const modes = modesBelow(directory);
    expect(Object.keys(modes).length).toBeGreaterThan(9);
    for (const [path, mode] of Object.entries(modes)) {
      const isFolder = ["backfill", join("backfill", "hq"), join("backfill", "hq", "unfinished")].includes(path);
      expect([path, mode]).toEqual([path, isFolder ? "700" : "600"]);
    }
  });
});

test("finished files of a backfill follow the umask, because Prometheus reads them", () => {
  const folder = join(temporaryFolder({}), "history");
  const program = `
    const { OutputFolder } = await from("backfill/output-folder.ts");
    const { writeDayFile } = await from("backfill/write-files.ts");
    const folder = await OutputFolder.open(${JSON.stringify(folder)});
    const parts = await folder.openParts(new Map());
    parts.add(0, new Map([[20000, new Map([[0, [1, 2]]])]]));
    await parts.write();
    const plan = { families: [], sensors: [] };
    await writeDayFile(folder.partPath(20000), folder.filePath("day.om"), plan, new AbortController().signal);
  `;
  expect(run(program, 0o022)).toMatchObject({ status: 0 });
  expect([modeOf(folder), modeOf(join(folder, "day.om")), modeOf(join(folder, "unfinished"))]).toEqual([
    ...["755", "644", "700"],
  ]);
});

test("a log shipper can read the file of events, and only the exporter can write it", () => {
  const path = join(temporaryFolder({}), "events.jsonl");
  const program = `
    const { fileOutput } = await from("events/json-lines-sink.ts");
    await fileOutput(${JSON.stringify(path)}).write(["{}\\n"], ["0"]);
  `;
  expect(run(program, 0)).toMatchObject({ status: 0 });
  expect(modeOf(path)).toBe("644");
});

describe("another user of the host", () => {
  test("cannot hold a lock, because locking makes old files private", () => {
    const folder = temporaryFolder({ "claims.lock": "" });
    const path = join(folder, "claims.lock");
    chmodSync(folder, 0o755);
    chmodSync(path, 0o644);
    tryFileLock(path)?.release();
    expect(modeOf(path)).toBe("600");
    // Only root can switch users. Otherwise checks the mode.
    const uid = process.geteuid?.() === 0 ? NOBODY : undefined;
    const read = `(await import("node:fs")).openSync(${JSON.stringify(path)}, "r"); console.log("opened")`;
    if (uid !== undefined) expect(run(read, 0, uid)).toMatchObject({ status: 1, stderr: /EACCES/ });
  });

  test("cannot redirect a write by a link in the state folder", async () => {
    const target = join(temporaryFolder({ target: "untouched" }), "target");
    const folder = temporaryFolder({});
    const files = createStateFiles(folder);
    for (const name of ["watermarks.json.tmp", "watermarks.json", "events.journal", "claims.lock", "new.lock"]) {
      symlinkSync(name === "new.lock" ? `${target}-new` : target, join(folder, name));
    }
    await files.write("watermarks.json.tmp", "state");
    await files.rename("watermarks.json.tmp", "watermarks.json");
    expect(lstatSync(join(folder, "watermarks.json")).isFile()).toBe(true);
    expect(readFileSync(join(folder, "watermarks.json"), "utf8")).toBe("state");
    await expect(files.append("events.journal", "state")).rejects.toMatchObject({ code: "ELOOP" });
    for (const name of ["claims.lock", "new.lock"]) {
      expect(() => tryFileLock(join(folder, name))).toThrow("is not a regular file");
    }
    expect(existsSync(`${target}-new`)).toBe(false);
    expect(readFileSync(target, "utf8")).toBe("untouched");
    expect(statSync(target).mode & 0o777).toBe(0o644);
  });

  test("cannot make this process lose a lock by another open", () => {
    const path = join(temporaryFolder({}), "claims.lock");
    const lock = tryFileLock(path);
    expect(tryFileLock(path)).toBe(undefined);
    const take = `
      const { tryFileLock } = await from("lib/durable-file.ts");
      console.log(tryFileLock(${JSON.stringify(path)}) === undefined ? "busy" : "taken");
    `;
    expect(run(take, 0)).toMatchObject({ stdout: "busy\n" });
    lock?.release();
    expect(run(take, 0)).toMatchObject({ stdout: "taken\n" });
  });
});

describe("state directory", () => {
  function directory(mode: number, ...names: readonly string[]): string {
    const path = temporaryFolder(Object.fromEntries(names.map((name) => [name, ""])));
    chmodSync(path, mode);
    return path;
  }

  test.each([0o700, 0o750, 0o770, 0o2770])("gives no finding with mode %i", async (mode) => {
    expect(await inspectStateDirectory(directory(mode), true)).toBe(undefined);
  });

  test("gives no finding if it does not exist", async () => {
    expect(await inspectStateDirectory(join(directory(0o755), "gone"), true)).toBe(undefined);
  });

  test("becomes private by serve, but not by check, if an older release made it", async () => {
    const names = ["claims.lock", "claim-1b.lock", "claim-1b.json", "watermarks-hq-1.json", "objects-hq-1.json"];
    const path = directory(
      0o755,
      ...names,
      "events-hq-1.journal.torn",
      "instance-id",
      "instance-id-1",
      "backfill/hq/a",
      ...["sync.json", "sync.json.tmp", "sync.json.torn", "sync-audit.jsonl", "sync-audit.jsonl.1.gz"],
    );
    const open = {
      kind: "open",
      text: `state_dir ${path} is open to every user of the system (mode 0755): serve sets mode 0700`,
    };
    expect(await inspectStateDirectory(path, false)).toEqual(open);
    expect(modeOf(path)).toBe("755");
    const closed = { kind: "closed", text: `state_dir ${path} had mode 0755, now 0700` };
    expect(await inspectStateDirectory(path, true)).toEqual(closed);
    expect(modeOf(path)).toBe("700");
  });

  test("stays unchanged with files of other users", async () => {
    const path = directory(0o1777, "claims.lock", "of-another-program");
    const found = await inspectStateDirectory(path, true);
    expect(found).toMatchObject({ kind: "open", text: expect.stringContaining("(mode 1777): set mode 0700, or give") });
    expect(modeOf(path)).toBe("1777");
  });

  test("gives a note as a Kubernetes volume with an fsGroup", async () => {
    const path = join(temporaryFolder({}), "volume");
    mkdirSync(path);
    writeFileSync(join(path, "claims.lock"), "");
    chmodSync(path, 0o2777);
    expect(await inspectStateDirectory(path, true)).toMatchObject({ kind: "volume" });
    expect(modeOf(path)).toBe("2777");
  });
});
