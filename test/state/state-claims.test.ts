import { mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { createPrivateDirectory, type FileLock, tryFileLock } from "../../src/lib/durable-file.ts";
import { claimServers, SYNC_CLAIM } from "../../src/state/state-claims.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** Counts waits and calls `onSleep` during each. */
class WaitingClock extends ManualClock {
  onSleep: () => void = () => undefined;

  override async sleep(ms: number): Promise<void> {
    this.skip(ms);
    this.onSleep();
  }
}

interface Options {
  readonly clock?: WaitingClock;
  readonly waitMs?: number;
  readonly onWait?: (holder: string) => void;
}

function claim(directory: string, servers: readonly string[], options: Options = {}) {
  const { clock = new WaitingClock(), waitMs = 0, onWait = () => undefined } = options;
  return claimServers({ directory, servers, clock, waitMs, onWait });
}

const BRANCH = JSON.stringify({ pid: 7, host: "other-host", since: "2026-01-15T12:00:00Z", servers: ["hq", "branch"] });
const HOLDER = "process 7 on other-host, since 2026-01-15T12:00:00Z, pushes branch";

/** The files of another process, and its lock until `release`. */
function otherProcess(folder: string, content = BRANCH): FileLock {
  writeFileSync(join(folder, "claim-other.json"), content);
  const lock = tryFileLock(join(folder, "claim-other.lock"));
  if (lock === undefined) throw new Error("the lock is taken");
  let isHeld = true;
  const release = () => {
    if (isHeld) lock.release();
    isHeld = false;
  };
  onTestFinished(release);
  return { release };
}

/** Servers of our claim, as another process sees them. None without a lock. */
function claimed(folder: string): string[] {
  const names = readdirSync(folder).filter((name) => /^claim-.{36}\.lock$/.test(name));
  return names.flatMap((name) => {
    const lock = tryFileLock(join(folder, name));
    lock?.release();
    return lock === undefined
      ? JSON.parse(readFileSync(join(folder, name.replace("lock", "json")), "utf8")).servers
      : [];
  });
}

describe("claim of servers", () => {
  test("lasts until its release, and leaves nothing behind", async () => {
    const folder = join(temporaryFolder({}), "new");
    const ours = await claim(folder, ["hq", "branch"]);
    expect(claimed(folder)).toEqual(["hq", "branch"]);
    await ours.release();
    expect(readdirSync(folder)).toEqual(["claims.lock"]);
  });

  test("counts per server, under any path of the folder", async () => {
    const folder = temporaryFolder({});
    const link = join(temporaryFolder({}), "link");
    symlinkSync(folder, link);
    const first = await claim(folder, ["hq"]);
    const second = await claim(link, ["hq", "branch"]);
    await first.release();
    await first.release();
    expect(claimed(folder)).toEqual(["hq", "branch"]);
    await second.release();
    expect(readdirSync(folder)).toEqual(["claims.lock"]);
  });

  test("fails for a server of another process, and not for other servers", async () => {
    const folder = temporaryFolder({});
    otherProcess(folder);
    await expect(claim(folder, ["dc", "branch"])).rejects.toMatchObject({
      code: "STATE_DIR_BUSY",
      message: expect.stringMatching(new RegExp(`^state_dir .* is in use: ${HOLDER}$`)),
    });
    expect(claimed(folder)).toEqual([]);
    const beside = await claim(folder, ["dc"]);
    expect(claimed(folder)).toEqual(["dc"]);
    await beside.release();
  });

  test("names another sync", async () => {
    const folder = temporaryFolder({});
    otherProcess(folder, BRANCH.replace('"branch"', JSON.stringify(SYNC_CLAIM)));
    await expect(claim(folder, [SYNC_CLAIM])).rejects.toMatchObject({
      code: "STATE_DIR_BUSY",
      message: expect.stringMatching(/ is in use: process 7 on other-host, since 2026-01-15T12:00:00Z, runs sync$/),
      remedy: expect.stringContaining("--leader-elect"),
    });
    const beside = await claim(folder, ["dc"]);
    await beside.release();
  });

  test("takes over from a process that has ended, and removes its files", async () => {
    const folder = temporaryFolder({});
    otherProcess(folder).release();
    const ours = await claim(folder, ["branch"]);
    expect(readdirSync(folder).filter((name) => name.startsWith("claim-other"))).toEqual([]);
    await ours.release();
  });

  test("holds nothing if it cannot be written, and its release removes parts of files", async () => {
    const folder = temporaryFolder({});
    const first = await claim(folder, ["hq"]);
    const [file] = readdirSync(folder).filter((name) => name.endsWith(".json"));
    const inTheWay = join(folder, `${file}.tmp`);
    mkdirSync(inTheWay);
    await expect(claim(folder, ["branch"])).rejects.toMatchObject({ code: "EISDIR" });
    rmdirSync(inTheWay);
    expect(claimed(folder)).toEqual(["hq"]);
    writeFileSync(inTheWay, "");
    await first.release();
    expect(readdirSync(folder)).toEqual(["claims.lock"]);
  });

  test.each(["", "{", "7", '{"servers":"branch"}'])(
    "ignores a process that is releasing its claim: it shows %j",
    async (content) => {
      const folder = temporaryFolder({});
      otherProcess(folder, content);
      const ours = await claim(folder, ["branch"]);
      expect(claimed(folder)).toEqual(["branch"]);
      await ours.release();
    },
  );
});

describe("wait for another process", () => {
  test("ends with its release, and is reported once", async () => {
    const folder = temporaryFolder({});
    const other = otherProcess(folder);
    const clock = new WaitingClock();
    clock.onSleep = () => clock.monotonic() >= 2_000 && other.release();
    const waits: string[] = [];
    const ours = await claim(folder, ["branch"], { clock, waitMs: 30_000, onWait: (text) => waits.push(text) });
    expect(waits).toEqual([HOLDER]);
    expect(clock.monotonic()).toBe(2_000);
    expect(claimed(folder)).toEqual(["branch"]);
    await ours.release();
  });

  test("ends after the given time", async () => {
    const folder = temporaryFolder({});
    otherProcess(folder);
    const clock = new WaitingClock();
    await expect(claim(folder, ["branch"], { clock, waitMs: 30_000 })).rejects.toMatchObject({
      code: "STATE_DIR_BUSY",
    });
    expect(clock.monotonic()).toBe(30_000);
  });

  test("lets a process finish that is claiming at the same moment", async () => {
    const folder = temporaryFolder({});
    const turn = tryFileLock(join(folder, "claims.lock"));
    const clock = new WaitingClock();
    clock.onSleep = () => turn?.release();
    const ours = await claim(folder, ["hq"], { clock });
    expect(clock.monotonic()).toBe(20);
    await ours.release();
  });

  test("takes five seconds at most for a process that does not finish claiming", async () => {
    const folder = temporaryFolder({});
    const turn = tryFileLock(join(folder, "claims.lock"));
    const clock = new WaitingClock();
    await expect(claim(folder, ["hq"], { clock })).rejects.toMatchObject({
      message: expect.stringContaining("another process is claiming servers there"),
    });
    expect(clock.monotonic()).toBe(5_000);
    turn?.release();
  });
});

describe("keep, after the folder was removed", () => {
  async function removed() {
    const folder = join(temporaryFolder({}), "state");
    const first = await claim(folder, ["hq"]);
    const second = await claim(folder, ["hq", "branch"]);
    rmSync(folder, { recursive: true });
    return { folder, first, second };
  }

  test("claims again, for the same number of releases", async () => {
    const { folder, first, second } = await removed();
    await second.keep();
    await first.keep();
    expect(claimed(folder)).toEqual(["hq", "branch"]);
    await second.release();
    expect(claimed(folder)).toEqual(["hq"]);
    await first.release();
    expect(readdirSync(folder)).toEqual(["claims.lock"]);
  });

  test("fails while another process was faster, and claims after it", async () => {
    const { folder, first, second } = await removed();
    await createPrivateDirectory(folder);
    const other = otherProcess(folder);
    await expect(first.keep()).rejects.toMatchObject({ code: "STATE_DIR_BUSY" });
    expect(claimed(folder)).toEqual([]);
    other.release();
    await first.keep();
    expect(claimed(folder)).toEqual(["hq", "branch"]);
    await first.release();
    await second.release();
  });

  test("does nothing after the release", async () => {
    const { folder, first, second } = await removed();
    await first.release();
    await second.release();
    await first.keep();
    expect(() => readdirSync(folder)).toThrow("ENOENT");
  });

  test("keeps a claim that is still there", async () => {
    const folder = temporaryFolder({});
    const ours = await claim(folder, ["hq"]);
    const before = readdirSync(folder);
    await ours.keep();
    expect(readdirSync(folder)).toEqual(before);
    await ours.release();
  });
});
