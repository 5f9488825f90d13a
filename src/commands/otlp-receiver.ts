import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { hostname } from "node:os";
import type { InstrumentationScope } from "@opentelemetry/core";
import type { Resource } from "@opentelemetry/resources";
import { connectOtlp } from "../otlp/connect.ts";
import type { OtlpExporter } from "../otlp/exporter.ts";
import { otlpResource } from "../otlp/resource.ts";
import type { OtlpSettings } from "../otlp/settings.ts";
import type { StateFiles } from "../sync/state-files.ts";
import type { CommandContext } from "./context.ts";

const INSTANCE_FILE = "instance-id";

/** The way to an OTLP receiver, and who we are to it. */
export interface OtlpReceiver {
  readonly exporter: OtlpExporter;
  readonly resource: Resource;
  readonly scope: InstrumentationScope;
}

/** @throws ExporterError for files and settings that cannot be used */
export async function connectReceiver(
  settings: OtlpSettings,
  files: StateFiles,
  context: CommandContext,
): Promise<OtlpReceiver> {
  const { clock, redactor, build } = context;
  const exporter = await connectOtlp(settings, {
    userAgent: `prtg-exporter/${build.version}`,
    clock,
    readFile: (path) => readFile(path, "utf8"),
    redactor,
  });
  const resource = otlpResource(settings.resourceAttributes, {
    version: build.version,
    instanceId: await instanceId(files, context),
  });
  return { exporter, resource, scope: { name: "prtg-exporter", version: build.version } };
}

/** The same after a restart. Without a place to remember it the host's name has to do. */
async function instanceId(files: StateFiles, { log }: CommandContext): Promise<string> {
  try {
    const known = (await files.read(INSTANCE_FILE))?.trim();
    if (known !== undefined && known !== "") return known;
    const created = randomUUID();
    await files.write(INSTANCE_FILE, `${created}\n`);
    return (await files.read(INSTANCE_FILE))?.trim() ?? hostname();
  } catch (err) {
    log.warn({ err }, "the id of this instance cannot be kept in state_dir; using the host's name");
    return hostname();
  }
}
