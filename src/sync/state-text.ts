import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";

/*
 * Files of `state_dir` that are written as a whole have two lines of JSON: what the file is, with a checksum of the second
 * line, and what it holds.
 */

export interface StateFormat {
  /** First member of the first line. */
  readonly name: string;
  readonly version: number;
  /** For messages, such as `a watermark file`. */
  readonly called: string;
}

/** Why a file cannot be used. */
export type UnusableFile =
  /** It was cut off or damaged. */
  | "torn"
  /** It is something else, or belongs to another server. */
  | "foreign"
  /** A later release wrote it. */
  | "newer";

export interface UnusableText {
  readonly problem: UnusableFile;
  readonly message: string;
}

const MAX_FIRST_LINE = 64 << 10;

type Members = Readonly<Record<string, unknown>>;

/** Name of a server's file. Server names may hold anything and differ in case only, so the name is part text, part hash. */
export function stateFileName(kind: string, server: string, extension: string): string {
  const readable = server.replace(/[^\w-]+/g, "_").slice(0, 40);
  const hash = createHash("sha256").update(server).digest("hex").slice(0, 8);
  return `${kind}-${readable}-${hash}.${extension}`;
}

/** `about`: further members of the first line. */
export function encodeStateText({ name, version }: StateFormat, server: string, about: Members, body: Members): string {
  const line = JSON.stringify(body);
  return `${JSON.stringify({ format: name, version, server, ...about, crc32: crc32(line) })}\n${line}\n`;
}

/** Never throws. A second line that is whole but no object of JSON has no members. */
export function decodeStateText(
  { name, version, called }: StateFormat,
  text: string,
  server: string,
): { readonly about: Members; readonly body: Members } | UnusableText {
  const [firstLine = "", body = ""] = text.split("\n", 2);
  // Another program may have put a large file there: parsing 40 MB of JSON takes seconds.
  const about = firstLine.length > MAX_FIRST_LINE ? undefined : parseObject(firstLine);
  if (about === undefined) {
    return unusable(isCutOff(firstLine, name) ? "torn" : "foreign", `its first line is not that of ${called}`);
  }
  if (about.format !== name) return unusable("foreign", `it is not ${called}`);
  if (typeof about.version === "number" && about.version > version) {
    return unusable("newer", `it has version ${about.version}, this release knows ${version}`);
  }
  if (about.version !== version) return unusable("foreign", "it has no known version");
  if (about.server !== server) return unusable("foreign", `it belongs to the server ${JSON.stringify(about.server)}`);
  if (crc32(body) !== about.crc32) return unusable("torn", "its checksum does not fit its content");
  return { about, body: parseObject(body) ?? {} };
}

export function unusable(problem: UnusableFile, message: string): UnusableText {
  return { problem, message };
}

/** The beginning of our own first line, or the zeros that some file systems leave after a crash. */
function isCutOff(firstLine: string, name: string): boolean {
  const opening = `{"format":${JSON.stringify(name)}`;
  return opening.startsWith(firstLine.slice(0, opening.length)) || firstLine.startsWith("\0");
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}
