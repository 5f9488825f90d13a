import { ExporterError } from "../errors/exporter-error.ts";
import { withinTime } from "../lib/bounded-files.ts";
import { withFile } from "../lib/durable-file.ts";

/** Format of a file of the exporter. Part of the contract. */
export interface StateFormat {
  readonly name: string;
  readonly version: number;
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
