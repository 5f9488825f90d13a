import { crc32 } from "node:zlib";
import pLimit from "p-limit";
import {
  foreignHead,
  openState,
  parseObject,
  replaceState,
  type StateFiles,
  type StateFormat,
  type StateReport,
  stateFileName,
  type Unusable,
  unusable,
  type WatchedWrites,
  watchWrites,
} from "../state/state-files.ts";
import type { MeasurementRecorder } from "../telemetry/recorders.ts";
import type { Coverage } from "./measurement.ts";

/** Ends of what a receiver acknowledged, by sensor. Without a good file all sensors start with the live series. */
export class Watermarks {
  readonly report: StateReport;
  readonly #server: string;
  readonly #files: StateFiles;
  readonly #marks: Map<string, Coverage>;
  /** Not saved: lists of a later process are newer. */
  readonly #repeats = new Map<string, number>();
  #changed = false;
  readonly #oneAtATime = pLimit(1);

  private constructor(server: string, files: StateFiles, marks: Map<string, Coverage>, report: StateReport) {
    this.#server = server;
    this.#files = files;
    this.#marks = marks;
    this.report = report;
  }

  /** Never rejects: reports an unusable file, moves it aside and starts anew. */
  static async open(server: string, files: StateFiles): Promise<Watermarks> {
    const { report, state } = await openState(files, watermarkFileName(server), (text) =>
      decodeWatermarks(text, server),
    );
    const marks = new Map(state?.watermarks.entries().map(([sensorId, time]) => [sensorId, coverageIn(time)]));
    return new Watermarks(server, files, marks, report);
  }

  get(sensorId: string): Coverage | undefined {
    return this.#marks.get(sensorId);
  }

  get size(): number {
    return this.#marks.size;
  }

  entries(): MapIterator<[sensorId: string, covered: Coverage]> {
    return this.#marks.entries();
  }

  /** Never moves back. */
  move(sensorId: string, covered: Coverage): void {
    if ((this.#marks.get(sensorId)?.until ?? Number.NEGATIVE_INFINITY) >= covered.until) return;
    this.#marks.set(sensorId, covered);
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
    for (const [sensorId, covered] of before.entries()) this.move(sensorId, covered);
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
    return this.#oneAtATime(() => this.#saveNow());
  }

  async #saveNow(): Promise<void> {
    if (!this.#changed) return;
    this.#changed = false;
    try {
      const times = new Map(this.entries().map(([sensorId, covered]) => [sensorId, timeOf(covered)]));
      await replaceState(this.#files, this.report.file, encodeWatermarks(this.#server, times));
    } catch (error) {
      this.#changed = true;
      throw error;
    }
  }
}

/** A kill repeats at most the rows of this time. */
const SAVE_AFTER_MS = 5_000;
const CONSEQUENCE = "After a restart, the exporter would repeat measurements since the last successful write";

export interface WatermarkSaverOptions extends Pick<WatchedWrites, "clock" | "log"> {
  readonly watermarks: Watermarks;
  readonly observer: Pick<MeasurementRecorder, "watermarkFailed">;
}

/** Writes watermarks a few seconds after they change, and at the end. */
export class WatermarkSaver {
  readonly #options: WatermarkSaverOptions;
  readonly #ending = new AbortController();
  #isScheduled = false;
  readonly #watch: ReturnType<typeof watchWrites>;

  constructor(options: WatermarkSaverOptions) {
    this.#options = options;
    const onFailed = () => options.observer.watermarkFailed();
    this.#watch = watchWrites({ ...options, what: "watermarks", consequence: CONSEQUENCE, onFailed });
  }

  notify(): void {
    const { watermarks, clock } = this.#options;
    if (this.#isScheduled || !watermarks.changed || this.#ending.signal.aborted) return;
    this.#isScheduled = true;
    void clock.sleep(SAVE_AFTER_MS, this.#ending.signal).then(
      async () => {
        this.#isScheduled = false;
        await this.#save();
        this.notify();
      },
      () => undefined,
    );
  }

  async end(): Promise<void> {
    this.#ending.abort();
    await this.#save();
  }

  #save(): Promise<void> {
    return this.#watch(() => this.#options.watermarks.save());
  }
}

export const WATERMARK_FILE: StateFormat = { name: "prtg-exporter watermarks", version: 1 };
const { name: FORMAT, version: VERSION } = WATERMARK_FILE;
/** Parsing a large file of another program would block for seconds. */
const MAX_HEAD_LENGTH = 64 * 1024;
const OPENING = `{"format":${JSON.stringify(FORMAT)}`;

export function watermarkFileName(server: string): string {
  return stateFileName("watermarks", server, "json");
}

/**
 * A file has one time for each sensor. Servers send whole seconds, so only an average ends just before one, and a time
 * just after one says that the scan failed.
 */
function coverageIn(time: number): Coverage {
  const ms = time % 1000;
  if (ms === 1) return { until: time - 1, kind: "failed scan" };
  return { until: time, kind: ms === 999 ? "average" : "scan" };
}

function timeOf({ until, kind }: Coverage): number {
  return kind === "failed scan" ? until + 1 : until;
}

/** Two lines of JSON: a head with the checksum of the second line, and watermarks by sensor in milliseconds. */
export function encodeWatermarks(server: string, watermarks: ReadonlyMap<string, number>): string {
  const body = JSON.stringify(Object.fromEntries(watermarks));
  const head = { format: FORMAT, version: VERSION, server, sensors: watermarks.size, crc32: crc32(body) };
  return `${JSON.stringify(head)}\n${body}\n`;
}

/** Never throws. Accepts a file as a whole or not at all. */
export function decodeWatermarks(
  text: string,
  server: string,
): { readonly watermarks: Map<string, number> } | Unusable {
  const [firstLine = "", body = ""] = text.split("\n", 2);
  const head = firstLine.length > MAX_HEAD_LENGTH ? undefined : parseObject(firstLine);
  if (head === undefined) {
    return unusable(isCutOff(firstLine) ? "torn" : "foreign", "its first line is not a watermark header");
  }
  const foreign = foreignHead(head, WATERMARK_FILE, "a watermark file", server);
  if (foreign !== undefined) return foreign;
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
