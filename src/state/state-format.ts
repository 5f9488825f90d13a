import { ExporterError } from "../errors/exporter-error.ts";
import { withinTime } from "../lib/bounded-files.ts";
import { withFile } from "../lib/durable-file.ts";

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
