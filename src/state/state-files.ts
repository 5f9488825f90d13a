import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { chmod, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Logger } from "pino";
import { describeError, ExporterError } from "../errors/exporter-error.ts";
import { MAX_DATA_BYTES, readTextFile, withinTime } from "../lib/bounded-files.ts";
import type { Clock } from "../lib/clock.ts";
import {
  closing,
  createPrivateDirectory,
  openNewFile,
  openToWrite,
  PRIVATE_DIRECTORY,
  syncFolder,
  withFile,
} from "../lib/durable-file.ts";
import { errorCode } from "../lib/error-code.ts";
import { LogOnChange } from "../lib/log-on-change.ts";
import { printable } from "../lib/printable-text.ts";

/** Small files in a directory. Rejects with errors of the system. */
export interface StateFiles {
  read(name: string): Promise<string | undefined>;
  /** Replaces a file and flushes it. Leaves no file if that fails. */
  write(name: string, text: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  /** Flushes renames. */
  syncDirectory(): Promise<void>;
}

/** Files that can also grow. */
export interface JournalFiles extends StateFiles {
  /** Appends to an existing file and flushes it. A failure may leave a part. */
  append(name: string, text: string): Promise<void>;
}

/** `undefined` for a missing file. Rejects with errors of the system. */
export async function readState(path: string): Promise<string | undefined> {
  try {
    return await readTextFile(path, { maxBytes: MAX_DATA_BYTES, allowsOtherEncodings: true });
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** Private files. Creates the directory with the first one. Does not follow links. */
export function createStateFiles(directory: string): JournalFiles {
  const within = <Result>(use: () => Promise<Result>) => withinTime(directory, use);
  return {
    read: (name) => readState(join(directory, name)),
    write: (name, text) =>
      within(async () => {
        await createPrivateDirectory(directory);
        const path = join(directory, name);
        await closing(openNewFile(path), async (file) => {
          try {
            await file.writeFile(text).then(() => file.sync());
          } catch (error) {
            await rm(path, { force: true }).catch(() => undefined);
            throw error;
          }
        });
      }),
    append: (name, text) =>
      within(async () => {
        // Not created: an entry without the head is useless.
        await closing(openToWrite(join(directory, name), constants.O_WRONLY | constants.O_APPEND), async (file) => {
          await file.writeFile(text);
          await file.sync();
        });
      }),
    rename: (from, to) => within(() => rename(join(directory, from), join(directory, to))),
    syncDirectory: () => within(() => syncFolder(directory)),
  };
}

/** Server names may hold anything and differ in case only, so the name is part text, part hash. */
export function stateFileName(kind: string, server: string, extension: string): string {
  const readable = server.replace(/[^\w-]+/g, "_").slice(0, 40);
  const hash = createHash("sha256").update(server).digest("hex").slice(0, 8);
  return `${kind}-${readable}-${hash}.${extension}`;
}

/** How the file of an earlier process was found. */
export interface StateReport {
  /** `new`: no file. `unreadable`: the system refused. */
  readonly found: "good" | "new" | "unreadable" | UnusableFile;
  readonly file: string;
  /** Why the file is unusable. */
  readonly message: string | undefined;
}

/**
 * Reads a file. The state is `undefined` unless the file is good. Never rejects: reports an unusable file, and moves it
 * aside.
 */
export async function openState<State extends object>(
  files: StateFiles,
  file: string,
  decode: (text: string) => State | Unusable,
): Promise<{ readonly report: StateReport; readonly state: State | undefined }> {
  const none = (found: StateReport["found"], message?: string) => ({
    report: { found, file, message },
    state: undefined,
  });
  let text: string | undefined;
  try {
    text = await files.read(file);
  } catch (error) {
    return none("unreadable", error instanceof Error ? error.message : String(error));
  }
  if (text === undefined) return none("new");
  const state = decode(text);
  if (!("problem" in state)) return { report: { found: "good", file, message: undefined }, state };
  // For an analysis.
  await files.rename(file, `${file}.${state.problem}`).catch(() => undefined);
  return none(state.problem, state.message);
}

/** Replaces a file atomically, also after a power loss. */
export async function replaceState(files: StateFiles, file: string, text: string): Promise<void> {
  const beside = `${file}.tmp`;
  await files.write(beside, text);
  await files.rename(beside, file);
  await files.syncDirectory();
}

/** Awaits `check` before each write. */
export function checkedFiles(files: JournalFiles, check: () => Promise<void>): JournalFiles {
  return {
    ...files,
    write: (name, text) => check().then(() => files.write(name, text)),
    append: (name, text) => check().then(() => files.append(name, text)),
  };
}

const OTHERS = 0o007;
const SET_GROUP = 0o2000;

/** A directory with other files does not belong to the exporter. */
const STATE_FILE =
  /^(claims\.lock|claim-[\w-]+\.(lock|json(\.tmp)?)|(watermarks|objects|events)-.+|instance-id(-\d+)?|backfill|sync\.json(\.\w+)?|sync-audit\.jsonl[\w.-]*)$/;

/** Whether other users can access the state directory. */
export interface StateDirectoryFinding {
  /** `closed`: the exporter corrected the mode. `volume`: Kubernetes set the mode, and only the pod sees it. */
  readonly kind: "open" | "closed" | "volume";
  readonly text: string;
}

/**
 * `undefined` if the directory is private, missing, or on Windows. Never rejects.
 * @param mend Close a directory of this user with only state, as older releases made it.
 */
export async function inspectStateDirectory(path: string, mend: boolean): Promise<StateDirectoryFinding | undefined> {
  const uid = process.geteuid?.();
  if (uid === undefined) return undefined;
  return withinTime(path, () => inspect(path, mend, uid)).catch(() => undefined);
}

async function inspect(path: string, mend: boolean, uid: number): Promise<StateDirectoryFinding | undefined> {
  const facts = await stat(path);
  if ((facts.mode & OTHERS) === 0) return undefined;
  const rights = `state_dir ${printable(path)} is open to every user of the system (mode ${octal(facts.mode)})`;
  // Kubernetes sets it for volumes with an fsGroup. Without it the next pod has no rights.
  if ((facts.mode & SET_GROUP) !== 0) return { kind: "volume", text: rights };
  const isOurs = facts.uid === uid && (await readdir(path)).every((name) => STATE_FILE.test(name));
  if (isOurs && mend) {
    await chmod(path, PRIVATE_DIRECTORY);
    return { kind: "closed", text: `state_dir ${printable(path)} had mode ${octal(facts.mode)}, now 0700` };
  }
  const remedy = isOurs ? "serve sets mode 0700" : "set mode 0700, or give the exporter a directory of its own";
  return { kind: "open", text: `${rights}: ${remedy}` };
}

function octal(mode: number): string {
  return (mode & 0o7777).toString(8).padStart(4, "0");
}

/** Format of a file of the exporter. Part of the contract. */
export interface StateFormat {
  readonly name: string;
  readonly version: number;
}

export type UnusableFile =
  /** Cut off or damaged. */
  | "torn"
  /** Another file, or another server's. */
  | "foreign";

/** Why a file is unusable. */
export interface Unusable {
  readonly problem: UnusableFile;
  readonly message: string;
}

export function unusable(problem: UnusableFile, message: string): Unusable {
  return { problem, message };
}

/**
 * `undefined` if the head of a file has this format and belongs to this server.
 * @param kind What the file should be, for the message.
 */
export function foreignHead(
  head: Readonly<Record<string, unknown>>,
  { name, version }: StateFormat,
  kind: string,
  server: string,
): Unusable | undefined {
  if (head.format !== name) return unusable("foreign", `it is not ${kind}`);
  if (head.version !== version) return unusable("foreign", "it has no known version");
  if (head.server !== server) return unusable("foreign", `it belongs to the server ${JSON.stringify(head.server)}`);
  return undefined;
}

/** `undefined` for anything but a JSON object. */
export function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

/** Each version begins with its format and number. */
const HEAD_BYTES = 256;

/**
 * An older release would misread the file, and starting anew would push measurements twice. Ignores files that are
 * missing, unreadable or damaged.
 * @throws ExporterError STATE_FILE_NEWER
 */
export async function refuseNewerFile(path: string, { name, version }: StateFormat): Promise<void> {
  const head = await withinTime(path, () => readHead(path)).catch(() => "");
  const [, digits] = new RegExp(`\\{"format":"${name}(?: |","version":)(\\d+)`).exec(head) ?? [];
  if (digits === undefined || Number(digits) <= version) return;
  throw new ExporterError("STATE_FILE_NEWER", `${path} has version ${digits}, this release reads up to ${version}`);
}

function readHead(path: string): Promise<string> {
  return withFile(path, async (file) => {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    return buffer.toString("latin1", 0, bytesRead);
  });
}

/** Logs a lasting failure again after this time. */
const REMIND_EVERY_MS = 10 * 60_000;

export interface WatchedWrites {
  readonly clock: Pick<Clock, "monotonic" | "sleep">;
  readonly log: Logger;
  /** Subject of the log lines. */
  readonly what: string;
  /** A sentence without its full stop. */
  readonly consequence: string;
  readonly onFailed: () => void;
}

/** Logs when a file cannot be written, and when it can be written again. The returned function never rejects. */
export function watchWrites(watched: WatchedWrites): (write: () => Promise<void>) => Promise<void> {
  const { clock, log, what, consequence, onFailed } = watched;
  const failures = new LogOnChange({ remindEveryMs: REMIND_EVERY_MS, now: () => clock.monotonic() });
  return async (write) => {
    try {
      await write();
      if (failures.over() > 0) log.info(`${what} can be written again`);
    } catch (error) {
      onFailed();
      const occasion = failures.record();
      if (occasion === undefined) return;
      const how = occasion.isNew ? "cannot be written" : `still cannot be written, ${occasion.times} times so far`;
      log.warn(`${what} ${how}: ${describeError(error)}. ${consequence}`);
    }
  };
}
