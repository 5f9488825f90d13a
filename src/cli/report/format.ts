import { writeFile } from "node:fs/promises";
import { ERROR_STATUS } from "prtg-simulator/src/api-errors.ts";
import { z } from "zod";
import { fileFault } from "../../config/reading-files.ts";
import { ERROR_CATALOGUE } from "../../errors/catalogue.ts";
import { ExporterError } from "../../errors/exporter-error.ts";
import { MAX_DATA_BYTES, readTextFile } from "../../lib/bounded-files.ts";
import { PROBES } from "./probes.ts";
import { KNOWN_NAMES, VALUE_TYPES } from "./shape.ts";

/* A report contains only numbers and texts from lists in the exporter. Writing and reading share this schema. */

export const FORMAT = "prtg-exporter server report";
/** Increase it if older exporters cannot read the format. */
export const FORMAT_VERSION = 1;

/** Year, quarter, number, build. Network addresses never have four final digits. */
export const RELEASE = /^[12]\d\.[1-4]\.\d{1,3}\.\d{4,6}$/;
/** `$[].basic.priority`: `[]` are items, `*` a name that no API defines. */
const PLACE = /^\$(\[\]|\.(\*|[A-Za-z_]\w*))*$/;

export const CONTENT_TYPES = [
  "application/json",
  "application/problem+json",
  "application/octet-stream",
  "application/xml",
  "text/html",
  "text/json",
  "text/plain",
  "other",
] as const;

const count = z.int().min(0);

const place = z
  .string()
  .regex(PLACE)
  .refine((text) => [...text.matchAll(/\.(\w+)/g)].every(([, name = ""]) => KNOWN_NAMES.has(name)));

const shape = z.record(place, z.partialRecord(z.enum(VALUE_TYPES), count));

const endpoint = z.strictObject({
  endpoint: z
    .enum([...new Set(PROBES.map((probe) => probe.endpoint))])
    .meta({ description: "Path below `/api/v2`. `{id}` stands for the id of an object from a list." }),
  query: z.enum([...new Set(PROBES.map(({ query }) => query))]).meta({ description: "Query of the request." }),
  status: z.int().min(100).max(999).nullable().meta({ description: "HTTP status. Null without an answer." }),
  failure: z.enum(Object.keys(ERROR_CATALOGUE)).optional().meta({
    description:
      "Error code of the exporter, if the request failed: https://prtg-exporter.github.io/prtg-exporter/errors.",
  }),
  server_code: z
    .enum([...Object.keys(ERROR_STATUS), "other"])
    .optional()
    .meta({ description: "`code` of the server's error object." }),
  content_type: z.enum(CONTENT_TYPES).optional(),
  headers: z
    .array(z.enum(["Date", "Link", "X-Total-Count"]))
    .optional()
    .meta({ description: "Valid headers of the answer, of these three." }),
  total: count.optional().meta({ description: "X-Total-Count." }),
  records: count.optional().meta({ description: "Items of the list." }),
  bytes: count.optional().meta({ description: "Size of the body on the wire, if the request succeeded." }),
  ms: count.meta({ description: "Time from sending the request to the last byte." }),
  shape: shape.optional().meta({ description: "Number of values per type, for each position in the answer." }),
});

export const SIZES = ["probes", "groups", "devices", "sensors", "channels"] as const;

const server = z.strictObject({
  release: z.string().regex(RELEASE).nullable().meta({ description: "Release of the server, if it sends one." }),
  spelling: z
    .enum(["live", "specification"])
    .nullable()
    .meta({ description: "Spelling of statuses: as live servers, or as the specification. Null: unknown." }),
  default_limit: count.nullable().meta({ description: "Number of channels in an answer without `limit`. Null: all." }),
  objects: z.partialRecord(z.enum(SIZES), count).meta({
    description: "Number of objects of each kind that the user can see. A kind is missing if its count is unknown.",
  }),
  complete: z.boolean().meta({ description: "False if the report ended early, because the server stopped answering." }),
  endpoints: z.array(endpoint),
});

export const reportSchema = z.strictObject({
  format: z.literal(FORMAT),
  format_version: z.literal(FORMAT_VERSION),
  exporter: z
    .string()
    .regex(/^[\w.+-]{1,60}$/)
    .meta({ description: "Version of the exporter." }),
  servers: z.array(server).meta({ description: "Servers in the order of the configuration, without their names." }),
});

export type EndpointReport = z.output<typeof endpoint>;
export type ServerReport = z.output<typeof server>;
export type Report = z.output<typeof reportSchema>;

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
