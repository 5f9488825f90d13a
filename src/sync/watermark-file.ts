import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";

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
