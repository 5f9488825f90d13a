import { randomUUID } from "node:crypto";
import { access, readdir, realpath, rename, rm } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import pLimit from "p-limit";
import { ExporterError } from "../errors/exporter-error.ts";
import { readTextFile, withinTime } from "../lib/bounded-files.ts";
import type { Clock } from "../lib/clock.ts";
import { closing, createPrivateDirectory, type FileLock, openNewFile, tryFileLock } from "../lib/durable-file.ts";
import { errorCode } from "../lib/error-code.ts";
import { mapEntry } from "../lib/map-entry.ts";

/*
 * Two exporters with the same state folder and server would push everything twice. So each one claims its servers in
 * `claim-<id>.json`, valid while it holds the lock `claim-<id>.lock`. Shards may share a folder. A third lock
 * serializes claims.
 */

/** Time between two checks of another claim. */
const PAUSE_MS = 500;
/** Claims take milliseconds, but shards often start or reload at the same moment. */
const MAX_CLAIMING_MS = 5_000;
const CLAIMING_PAUSE_MS = 20;

/** Claims the folder for one `sync`, beside the names of servers. These have no line feed. */
export const SYNC_CLAIM = "sync\n";

const SYNC_REMEDY =
  "Stop the other sync, or run both with --leader-elect. Two of them would make each change twice. The lock ends with its process.";

export interface StateClaim {
  /**
   * Repeats the claim if it is gone, for example with a removed folder. Rejects with ExporterError STATE_DIR_BUSY if
   * another process was faster, and with errors of the system.
   */
  keep(): Promise<void>;
  release(): Promise<void>;
}

export interface ClaimOptions {
  readonly directory: string;
  readonly servers: readonly string[];
  readonly clock: Clock;
  /** Time for another process to end, milliseconds. */
  readonly waitMs: number;
  /** Called once before the wait. */
  readonly onWait: (holder: string) => void;
}

interface Claim {
  readonly id: string;
  readonly lock: FileLock;
  readonly since: string;
  /** Claims per server: a reload claims before the old configuration releases. */
  readonly servers: Map<string, number>;
}

interface ClaimFile {
  readonly servers: readonly string[];
  readonly holder: string;
}

const claims = new Map<string, Claim>();
const oneAtATime = pLimit(1);

/** Serializes claims and releases of a reload. */
function inTurn<Result>(directory: string, use: () => Promise<Result>): Promise<Result> {
  return oneAtATime(() => withinTime(directory, use));
}

/**
 * Creates the folder if it is missing.
 * @throws ExporterError STATE_DIR_BUSY if another process keeps a server for `waitMs`, and errors of the system, for
 * example without locks
 */
export async function claimServers(options: ClaimOptions): Promise<StateClaim> {
  const { servers, clock, waitMs, onWait } = options;
  const directory = await withinTime(options.directory, async () => {
    await createPrivateDirectory(options.directory);
    // A folder may have several names.
    return realpath(options.directory);
  });
  const deadline = clock.monotonic() + waitMs;
  for (let isReported = false; ; ) {
    const holder = await inTurn(directory, () => tryClaim(directory, servers, clock));
    if (holder === undefined) break;
    if (clock.monotonic() >= deadline) throw busy(directory, holder, servers);
    if (!isReported) onWait(holder);
    isReported = true;
    await clock.sleep(PAUSE_MS);
  }
  let released = false;
  return {
    async keep() {
      if (released) return;
      const holder = await inTurn(directory, () => claimAgain(directory, clock));
      if (holder !== undefined) throw busy(directory, holder, servers);
    },
    async release() {
      if (released) return;
      released = true;
      await inTurn(directory, () => giveBack(directory, servers)).catch(() => undefined);
    },
  };
}

function busy(directory: string, holder: string, servers: readonly string[]): ExporterError {
  const options = servers.includes(SYNC_CLAIM) ? { remedy: SYNC_REMEDY } : {};
  return new ExporterError("STATE_DIR_BUSY", `state_dir ${directory} is in use: ${holder}`, options);
}

/** Claims again if our claim is gone. */
async function claimAgain(directory: string, clock: Clock): Promise<string | undefined> {
  const lost = claims.get(directory);
  if (lost === undefined || (await isThere(lockPath(directory, lost.id)))) return undefined;
  await createPrivateDirectory(directory);
  claims.delete(directory);
  try {
    return await tryClaim(directory, [...lost.servers.keys()], clock);
  } finally {
    const again = claims.get(directory);
    if (again === undefined) claims.set(directory, lost);
    else {
      lost.lock.release();
      for (const [server, times] of lost.servers) again.servers.set(server, times);
    }
  }
}

function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    (error) => {
      if (errorCode(error) === "ENOENT") return false;
      throw error;
    },
  );
}

function lockPath(directory: string, id: string): string {
  return join(directory, `claim-${id}.lock`);
}

function textPath(directory: string, id: string): string {
  return join(directory, `claim-${id}.json`);
}

/** `undefined` if the servers are ours, otherwise their holder. */
async function tryClaim(directory: string, servers: readonly string[], clock: Clock): Promise<string | undefined> {
  const claiming = await lockClaims(directory, clock);
  if (claiming === undefined) return "another process is claiming servers there";
  try {
    for (const name of await readdir(directory)) {
      const id = /^claim-([\w-]+)\.lock$/.exec(name)?.[1];
      if (id === undefined || id === claims.get(directory)?.id) continue;
      const theirs = await livingClaim(directory, id);
      const shared = theirs?.servers.find((server) => servers.includes(server));
      if (theirs !== undefined && shared !== undefined) return `${theirs.holder} ${does(shared)}`;
    }
    await add(directory, servers, clock);
    return undefined;
  } finally {
    claiming.release();
  }
}

function does(claimed: string): string {
  return claimed === SYNC_CLAIM ? "runs sync" : `pushes ${claimed}`;
}

/** `undefined` if another process does not finish. */
async function lockClaims(directory: string, clock: Clock): Promise<FileLock | undefined> {
  const deadline = clock.monotonic() + MAX_CLAIMING_MS;
  for (;;) {
    const lock = tryFileLock(join(directory, "claims.lock"));
    if (lock !== undefined || clock.monotonic() >= deadline) return lock;
    await clock.sleep(CLAIMING_PAUSE_MS);
  }
}

const MAX_CLAIM_BYTES = 1 << 20;

/** `undefined` if the process is gone. Then removes its claim. */
async function livingClaim(directory: string, id: string): Promise<ClaimFile | undefined> {
  const lock = tryFileLock(lockPath(directory, id));
  if (lock !== undefined) {
    await remove(directory, { id, lock });
    return undefined;
  }
  return parse(await readTextFile(textPath(directory, id), { maxBytes: MAX_CLAIM_BYTES }).catch(() => ""));
}

function parse(text: string): ClaimFile {
  try {
    const { servers, pid, host, since }: Record<string, unknown> = JSON.parse(text);
    if (Array.isArray(servers)) {
      return { servers: servers.map(String), holder: `process ${pid} on ${host}, since ${since},` };
    }
  } catch {
    // The owner is releasing it at this moment.
  }
  return { servers: [], holder: "" };
}

async function add(directory: string, servers: readonly string[], clock: Clock): Promise<void> {
  const claim = mapEntry(claims, directory, () => newClaim(directory, new Date(clock.now()).toISOString()));
  for (const server of servers) claim.servers.set(server, (claim.servers.get(server) ?? 0) + 1);
  try {
    await write(directory, claim);
  } catch (error) {
    // A claim that cannot be written is no claim.
    await giveBack(directory, servers).catch(() => undefined);
    throw error;
  }
}

function newClaim(directory: string, since: string): Claim {
  const id = randomUUID();
  const lock = tryFileLock(lockPath(directory, id));
  if (lock === undefined) throw new Error(`the lock of claim ${id} is taken`);
  return { id, lock, since, servers: new Map() };
}

async function giveBack(directory: string, servers: readonly string[]): Promise<void> {
  const claim = claims.get(directory);
  if (claim === undefined) return;
  for (const server of servers) {
    const left = (claim.servers.get(server) ?? 0) - 1;
    if (left > 0) claim.servers.set(server, left);
    else claim.servers.delete(server);
  }
  if (claim.servers.size > 0) return write(directory, claim);
  claims.delete(directory);
  await remove(directory, claim);
}

async function write(directory: string, { id, since, servers }: Claim): Promise<void> {
  const path = textPath(directory, id);
  // Containers may share process ids, but not host names.
  const text = JSON.stringify({ pid: process.pid, host: hostname(), since, servers: [...servers.keys()] });
  await closing(openNewFile(`${path}.tmp`), (file) => file.writeFile(`${text}\n`));
  await rename(`${path}.tmp`, path);
}

/** The lock goes last, and is free even if the rest stays. */
async function remove(directory: string, { id, lock }: Pick<Claim, "id" | "lock">): Promise<void> {
  const path = textPath(directory, id);
  try {
    await rm(path, { force: true });
    // A full disk leaves a part of the file.
    await rm(`${path}.tmp`, { force: true });
  } finally {
    lock.release();
  }
  await rm(lockPath(directory, id), { force: true });
}
