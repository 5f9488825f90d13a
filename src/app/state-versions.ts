import { join } from "node:path";
import type { Environment } from "../config/environment.ts";
import type { Config } from "../config/load.ts";
import { JOURNAL_FILE, journalFileName } from "../events/event-memory.ts";
import { WATERMARK_FILE, watermarkFileName } from "../measurements/watermarks.ts";
import { otlpSettings } from "../otlp/settings.ts";
import { refuseNewerFile, type StateFormat } from "../state/state-files.ts";

/** What `serve` would refuse at its start. @throws ExporterError STATE_FILE_NEWER, CONFIG_INVALID */
export async function refuseNewerState(config: Config, env: Environment): Promise<void> {
  const { settings, logs } = otlpSettings(env, config.otlp);
  if (settings !== undefined) await refuseNewerWatermarks(config);
  if (logs !== undefined || config.events.file !== undefined) await refuseNewerJournals(config);
}

/** @throws ExporterError STATE_FILE_NEWER */
export function refuseNewerWatermarks(config: Config): Promise<void> {
  return refuseNewer(config, WATERMARK_FILE, watermarkFileName);
}

/** @throws ExporterError STATE_FILE_NEWER */
export function refuseNewerJournals(config: Config): Promise<void> {
  return refuseNewer(config, JOURNAL_FILE, journalFileName);
}

async function refuseNewer(
  { stateDir, servers }: Config,
  format: StateFormat,
  fileName: (server: string) => string,
): Promise<void> {
  if (stateDir === undefined) return;
  for (const { name } of servers) await refuseNewerFile(join(stateDir, fileName(name)), format);
}
