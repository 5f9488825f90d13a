import { writeFile } from "node:fs/promises";
import { fileFault } from "../../config/reading-files.ts";
import { ExporterError } from "../../errors/exporter-error.ts";
import { MAX_DATA_BYTES, readTextFile } from "../../lib/bounded-files.ts";
import { FORMAT, FORMAT_VERSION, type Report, reportSchema, type ServerReport } from "./format.ts";

/** Throws a plain error if the report breaks the format, because that is a bug. @throws ExporterError REPORT_UNWRITABLE */
export async function writeReport(file: string, exporter: string, servers: readonly ServerReport[]): Promise<void> {
  const report = reportSchema.parse({ format: FORMAT, format_version: FORMAT_VERSION, exporter, servers });
  const text = `${JSON.stringify(report, null, 2)}\n`;
  try {
    // Reports contain no names and are meant to be shared.
    await writeFile(file, text, { mode: 0o644 });
  } catch (error) {
    throw new ExporterError("REPORT_UNWRITABLE", `${file} cannot be written: ${fileFault(error)}`);
  }
}

/** @throws ExporterError REPORT_UNREADABLE, REPORT_INVALID */
export async function readReport(file: string): Promise<Report> {
  let text: string;
  try {
    text = await readTextFile(file, { maxBytes: MAX_DATA_BYTES });
  } catch (error) {
    throw new ExporterError("REPORT_UNREADABLE", `${file} cannot be read: ${fileFault(error)}`);
  }
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch (error) {
    throw new ExporterError("REPORT_INVALID", `${file} is not JSON`, { cause: error });
  }
  const { data, error } = reportSchema.safeParse(content);
  if (data !== undefined) return data;
  const [issue] = error.issues;
  throw new ExporterError(
    "REPORT_INVALID",
    `${file}: at ${issue?.path.join(".") || "its beginning"}: ${issue?.message}`,
  );
}
