import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";
import type { StateFiles } from "./state-files.ts";

/** How the watermarks of the last run were found. */
export interface WatermarkReport {
  /** `new`: there was no file. `unreadable`: the system would not let us read it. */
  readonly found: "good" | "new" | "unreadable" | UnusableFile;
  readonly file: string;
  /** Sensors whose watermarks are known; 0 unless `good`: all start from the live series then. */
  readonly sensors: number;
  /** What is wrong with the file; undefined when nothing is. */
  readonly message: string | undefined;
}

/**
 * Up to when the receiver has the measurements of each sensor: milliseconds since the epoch, server's clock. Kept in
 * memory, written by `save`.
 */
export class Watermarks {
  readonly report: WatermarkReport;
  readonly #server: string;
  readonly #files: StateFiles;
  readonly #name: string;
  readonly #marks: Map<string, number>;
  /** Not written: a list that a later process reads is later than these. */
  readonly #repeats = new Map<string, number>();
  #changed = false;
  #saving: Promise<void> = Promise.resolve();

  private constructor(server: string, files: StateFiles, marks: Map<string, number>, report: WatermarkReport) {
    this.#server = server;
    this.#files = files;
    this.#name = report.file;
    this.#marks = marks;
    this.report = report;
  }

  /** Reads the server's file. Never rejects: a file that cannot be used is reported, set aside, and starts anew. */
  static async open(server: string, files: StateFiles): Promise<Watermarks> {
    const file = watermarkFileName(server);
    const none = (found: WatermarkReport["found"], message?: string): Watermarks =>
      new Watermarks(server, files, new Map(), { found, file, sensors: 0, message });
    let text: string | undefined;
    try {
      text = await files.read(file);
    } catch (error) {
      return none("unreadable", error instanceof Error ? error.message : String(error));
    }
    if (text === undefined) return none("new");
    const decoded = decodeWatermarks(text, server);
    if ("problem" in decoded) {
      // Kept for finding out what happened, and for going back to the release that wrote it.
      await files.rename(file, `${file}.${decoded.problem}`).catch(() => undefined);
      return none(decoded.problem, decoded.message);
    }
    const { watermarks } = decoded;
    return new Watermarks(server, files, watermarks, {
      found: "good",
      file,
      sensors: watermarks.size,
      message: undefined,
    });
  }

  get(sensorId: string): number | undefined {
    return this.#marks.get(sensorId);
  }

  get size(): number {
    return this.#marks.size;
  }

  entries(): IterableIterator<[sensorId: string, at: number]> {
    return this.#marks.entries();
  }

  /** Moves a watermark on; never back. */
  move(sensorId: string, at: number): void {
    if ((this.#marks.get(sensorId) ?? Number.NEGATIVE_INFINITY) >= at) return;
    this.#marks.set(sensorId, at);
    this.#changed = true;
  }

  /** Time of the last repeat of the sensor that was sent or queued; undefined before the first of this process. */
  repeatedAt(sensorId: string): number | undefined {
    return this.#repeats.get(sensorId);
  }

  /** The last values of the sensor were sent or queued once more, with this time. The watermark stays. */
  repeat(sensorId: string, at: number): void {
    this.#repeats.set(sensorId, at);
  }

  delete(sensorId: string): void {
    this.#repeats.delete(sensorId);
    if (this.#marks.delete(sensorId)) this.#changed = true;
  }

  /** Goes on from those that were kept in another place until now: the newer of both counts. All are to be written. */
  takeOver(before: Watermarks): void {
    for (const [sensorId, at] of before.entries()) this.move(sensorId, at);
    for (const [sensorId, at] of before.#repeats) this.repeat(sensorId, at);
    this.#changed ||= this.size > 0;
  }

  /** There is something to write. */
  get changed(): boolean {
    return this.#changed;
  }

  /**
   * Writes the watermarks if they changed. Whatever happens on the way, the file is the old or the new one: it is
   * written beside it, flushed, and renamed. One save at a time. Rejects with the error of the system; the change is
   * then still to be written.
   */
  save(): Promise<void> {
    const saved = this.#saving.then(() => this.#saveNow());
    this.#saving = saved.catch(() => undefined);
    return saved;
  }

  async #saveNow(): Promise<void> {
    if (!this.#changed) return;
    this.#changed = false;
    const beside = `${this.#name}.tmp`;
    try {
      await this.#files.write(beside, encodeWatermarks(this.#server, this.#marks));
      await this.#files.rename(beside, this.#name);
      await this.#files.syncDirectory();
    } catch (error) {
      this.#changed = true;
      throw error;
    }
  }
}

const FORMAT = "prtg-exporter watermarks";
const VERSION = 1;
/** Of the first line; ours has less than 1 KiB. JSON.parse of a large file of another program would block for seconds. */
const MAX_HEAD_LENGTH = 64 * 1024;
const OPENING = `{"format":${JSON.stringify(FORMAT)}`;

/** Why a file cannot be used. */
export type UnusableFile =
  /** It was cut off or damaged. */
  | "torn"
  /** It is something else, or belongs to another server. */
  | "foreign"
  /** A later release wrote it. */
  | "newer";

export type DecodedWatermarks =
  | { readonly watermarks: Map<string, number> }
  | { readonly problem: UnusableFile; readonly message: string };

/** Name of a server's file. Server names may hold anything and differ in case only, so the name is part text, part hash. */
export function watermarkFileName(server: string): string {
  const readable = server.replace(/[^\w-]+/g, "_").slice(0, 40);
  const hash = createHash("sha256").update(server).digest("hex").slice(0, 8);
  return `watermarks-${readable}-${hash}.json`;
}

/** Two lines of JSON: what the file is, with a checksum of the second line; watermarks by sensor in milliseconds. */
export function encodeWatermarks(server: string, watermarks: ReadonlyMap<string, number>): string {
  const body = JSON.stringify(Object.fromEntries(watermarks));
  const head = { format: FORMAT, version: VERSION, server, sensors: watermarks.size, crc32: crc32(body) };
  return `${JSON.stringify(head)}\n${body}\n`;
}

/** Never throws. The file is taken whole or not at all. */
export function decodeWatermarks(text: string, server: string): DecodedWatermarks {
  const [firstLine = "", body = ""] = text.split("\n", 2);
  const head = firstLine.length > MAX_HEAD_LENGTH ? undefined : parseObject(firstLine);
  if (head === undefined) {
    return unusable(isCutOff(firstLine) ? "torn" : "foreign", "its first line is not that of a watermark file");
  }
  if (head.format !== FORMAT) return unusable("foreign", "it is not a watermark file");
  if (typeof head.version === "number" && head.version > VERSION) {
    return unusable("newer", `it has version ${head.version}, this release knows ${VERSION}`);
  }
  if (head.version !== VERSION) return unusable("foreign", "it has no known version");
  if (head.server !== server) return unusable("foreign", `it belongs to the server ${JSON.stringify(head.server)}`);
  if (crc32(body) !== head.crc32) return unusable("torn", "its checksum does not fit its content");
  const watermarks = new Map<string, number>();
  for (const [sensorId, at] of Object.entries(parseObject(body) ?? {})) {
    if (typeof at === "number" && Number.isSafeInteger(at)) watermarks.set(sensorId, at);
  }
  if (watermarks.size !== head.sensors) return unusable("torn", "it lacks some of its watermarks");
  return { watermarks };
}

/** The beginning of our own first line, or the zeros that some file systems leave after a crash. */
function isCutOff(firstLine: string): boolean {
  return OPENING.startsWith(firstLine.slice(0, OPENING.length)) || firstLine.startsWith("\0");
}

function unusable(problem: UnusableFile, message: string): DecodedWatermarks {
  return { problem, message };
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}
