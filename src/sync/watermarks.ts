import { crc32 } from "node:zlib";
import { type StateFiles, stateFileName } from "./state-files.ts";
import type { StateFormat } from "./state-format.ts";

/** How the watermarks of the last run were found. */
export interface WatermarkReport {
  /** `new`: no file. `unreadable`: the system refused. */
  readonly found: "good" | "new" | "unreadable" | UnusableFile;
  readonly file: string;
  /** 0 unless `good`: then all sensors start with the live series. */
  readonly sensors: number;
  /** Why the file is unusable. */
  readonly message: string | undefined;
}

export class Watermarks {
  readonly report: WatermarkReport;
  readonly #server: string;
  readonly #files: StateFiles;
  readonly #name: string;
  readonly #marks: Map<string, number>;
  /** Not saved: lists of a later process are newer. */
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

  /** Never rejects: reports an unusable file, moves it aside and starts anew. */
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
      // For an analysis.
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

  /** Never moves back. */
  move(sensorId: string, at: number): void {
    if ((this.#marks.get(sensorId) ?? Number.NEGATIVE_INFINITY) >= at) return;
    this.#marks.set(sensorId, at);
    this.#changed = true;
  }

  /** Time of the last repeat in this process. */
  repeatedAt(sensorId: string): number | undefined {
    return this.#repeats.get(sensorId);
  }

  /** The watermark stays. */
  repeat(sensorId: string, at: number): void {
    this.#repeats.set(sensorId, at);
  }

  delete(sensorId: string): void {
    this.#repeats.delete(sensorId);
    if (this.#marks.delete(sensorId)) this.#changed = true;
  }

  /** Continues watermarks from another place: the newer one counts. Writes all. */
  takeOver(before: Watermarks): void {
    for (const [sensorId, at] of before.entries()) this.move(sensorId, at);
    for (const [sensorId, at] of before.#repeats) this.repeat(sensorId, at);
    this.#changed ||= this.size > 0;
  }

  get changed(): boolean {
    return this.#changed;
  }

  /**
   * Writes changed watermarks atomically, one save at a time. Rejects with the system's error, and tries again with the
   * next save.
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

export const WATERMARK_FILE: StateFormat = { name: "prtg-exporter watermarks", version: 1 };
const { name: FORMAT, version: VERSION } = WATERMARK_FILE;
/** Parsing a large file of another program would block for seconds. */
const MAX_HEAD_LENGTH = 64 * 1024;
const OPENING = `{"format":${JSON.stringify(FORMAT)}`;

export type UnusableFile =
  /** Cut off or damaged. */
  | "torn"
  /** Another file, or another server's. */
  | "foreign";

export type DecodedWatermarks =
  | { readonly watermarks: Map<string, number> }
  | { readonly problem: UnusableFile; readonly message: string };

export function watermarkFileName(server: string): string {
  return stateFileName("watermarks", server, "json");
}

/** Two lines of JSON: a head with the checksum of the second line, and watermarks by sensor in milliseconds. */
export function encodeWatermarks(server: string, watermarks: ReadonlyMap<string, number>): string {
  const body = JSON.stringify(Object.fromEntries(watermarks));
  const head = { format: FORMAT, version: VERSION, server, sensors: watermarks.size, crc32: crc32(body) };
  return `${JSON.stringify(head)}\n${body}\n`;
}

/** Never throws. Accepts a file as a whole or not at all. */
export function decodeWatermarks(text: string, server: string): DecodedWatermarks {
  const [firstLine = "", body = ""] = text.split("\n", 2);
  const head = firstLine.length > MAX_HEAD_LENGTH ? undefined : parseObject(firstLine);
  if (head === undefined) {
    return unusable(isCutOff(firstLine) ? "torn" : "foreign", "its first line is not a watermark header");
  }
  if (head.format !== FORMAT) return unusable("foreign", "it is not a watermark file");
  if (head.version !== VERSION) return unusable("foreign", "it has no known version");
  if (head.server !== server) return unusable("foreign", `it belongs to the server ${JSON.stringify(head.server)}`);
  if (crc32(body) !== head.crc32) return unusable("torn", "its checksum does not match its content");
  const watermarks = new Map<string, number>();
  for (const [sensorId, at] of Object.entries(parseObject(body) ?? {})) {
    if (typeof at === "number" && Number.isSafeInteger(at)) watermarks.set(sensorId, at);
  }
  if (watermarks.size !== head.sensors) return unusable("torn", "its list of watermarks is incomplete");
  return { watermarks };
}

/** The begin of our first line, or zeros after a crash. */
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
