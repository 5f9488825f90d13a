import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, rmdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { type Clock, systemClock } from "../../src/lib/clock.ts";
import { tryFileLock } from "../../src/lib/file-lock.ts";
import { claimServers } from "../../src/sync/state-claims.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

function claim(directory: string, servers: readonly string[], waitMs = 0, onWait: (holder: string) => void = () => {}) {
  return claimServers({ directory, servers, clock: systemClock, waitMs, onWait });
}

/** Another process that claims servers and stays. */
async function startHolder(directory: string, servers: readonly string[]) {
  const from = (name: string) => JSON.stringify(fileURLToPath(new URL(`../../src/${name}`, import.meta.url)));
  const program = `
    import { systemClock as clock } from ${from("lib/clock.ts")};
    import { claimServers } from ${from("sync/state-claims.ts")};
    const options = { directory: ${JSON.stringify(directory)}, servers: ${JSON.stringify(servers)} };
    await claimServers({ ...options, clock, waitMs: 0, onWait: () => {} });
    console.log("held");
    setInterval(() => {}, 1_000);
  `;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", program], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const [text] = await Promise.race([once(child.stdout, "data"), once(child, "exit")]);
  if (!String(text).includes("held")) throw new Error("it could not claim them");
  return {
    pid: child.pid,
    kill: async () => {
      child.kill("SIGKILL");
      await once(child, "exit");
    },
  };
}

test("a claim of another process fails with its owner, and a kill releases it", async () => {
  const folder = temporaryFolder({});
  const holder = await startHolder(folder, ["hq", "branch"]);
  await expect(claim(folder, ["other", "branch"])).rejects.toMatchObject({
    code: "STATE_DIR_BUSY",
    message: expect.stringMatching(
      new RegExp(`^state_dir .* is in use: process ${holder.pid} on .+, since 20.+Z, pushes branch$`),
    ),
  });
  // Like shards.
  const beside = await claim(folder, ["other"]);
  await holder.kill();
  const all = await claim(folder, ["hq", "branch"]);
  await all.release();
  await beside.release();
  expect(readdirSync(folder)).toEqual(["claims.lock"]);
});

test("a failed claim holds nothing and removes its file", async () => {
  const folder = temporaryFolder({});
  const first = await claim(folder, ["hq"]);
  const [file] = readdirSync(folder).filter((name) => name.endsWith(".json"));
  const inTheWay = join(folder, `${file}.tmp`);
  mkdirSync(inTheWay);
  await expect(claim(folder, ["branch"])).rejects.toMatchObject({ code: "EISDIR" });
  rmdirSync(inTheWay);
  writeFileSync(inTheWay, "");
  await first.release();
  expect(readdirSync(folder)).toEqual(["claims.lock"]);
  expect(await startHolder(folder, ["hq", "branch"])).toBeDefined();
});

test("a claim waits for a process that is being replaced", async () => {
  const folder = temporaryFolder({});
  const holder = await startHolder(folder, ["hq"]);
  const waits: string[] = [];
  const claimed = await claim(folder, ["hq"], 50_000, (text) => {
    waits.push(text);
    void holder.kill();
  });
  expect(waits).toEqual([expect.stringContaining(`process ${holder.pid} `)]);
  await claimed.release();
});

test("one process can claim a server twice by any path, until both releases", async () => {
  const folder = temporaryFolder({});
  const link = join(temporaryFolder({}), "link");
  symlinkSync(folder, link);
  const first = await claim(folder, ["hq"]);
  const second = await claim(link, ["hq", "branch"]);
  await first.release();
  await first.release();
  await expect(startHolder(folder, ["hq"]).then(() => "held")).rejects.toThrow();
  await second.release();
  expect(await startHolder(folder, ["hq"])).toBeDefined();
}, 60_000);

test("a claim recreates a removed folder and needs the same number of releases", async () => {
  const folder = join(temporaryFolder({}), "state");
  const first = await claim(folder, ["hq"]);
  const second = await claim(folder, ["hq", "branch"]);
  rmSync(folder, { recursive: true });
  await second.keep();
  await first.keep();
  await expect(startHolder(folder, ["hq"]).then(() => "held")).rejects.toThrow();
  await second.release();
  await expect(startHolder(folder, ["hq"]).then(() => "held")).rejects.toThrow();
  await first.release();
  expect(readdirSync(folder)).toEqual(["claims.lock"]);
}, 60_000);

test("the slower process in a removed folder fails until the other one ends", async () => {
  const folder = join(temporaryFolder({}), "state");
  const ours = await claim(folder, ["hq"]);
  rmSync(folder, { recursive: true });
  const other = await startHolder(folder, ["hq"]);
  await expect(ours.keep()).rejects.toMatchObject({ code: "STATE_DIR_BUSY" });
  await other.kill();
  await ours.keep();
  await expect(startHolder(folder, ["hq"]).then(() => "held")).rejects.toThrow();
  await ours.release();
}, 60_000);

test("claims and reloads wait for concurrent claims, but not forever", async () => {
  const folder = temporaryFolder({});
  const takeTurn = () => tryFileLock(join(folder, "claims.lock"));
  let passed = 0;
  let others = takeTurn();
  const clock: Clock = {
    now: () => systemClock.now(),
    monotonic: () => passed,
    async sleep(ms) {
      passed += ms;
      others?.release();
    },
  };
  const options = { directory: folder, servers: ["hq"], clock, waitMs: 0, onWait: () => {} };
  const claimed = await claimServers(options);
  expect(passed).toBeGreaterThan(0);
  others = undefined;
  const stuck = takeTurn();
  await expect(claimServers(options)).rejects.toMatchObject({ code: "STATE_DIR_BUSY" });
  stuck?.release();
  await claimed.release();
  expect(readdirSync(folder)).toEqual(["claims.lock"]);
});
