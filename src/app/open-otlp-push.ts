import type { Config } from "../config/load.ts";
import type { CommandContext } from "./context.ts";
import { CLAIM_WAIT_MS, type PreparedPush, prepareOtlpPush } from "./otlp-preparation.ts";
import type { OtlpPush } from "./otlp-push.ts";

/**
 * Opens the push that the configuration or the standard variables ask for; undefined when neither names a receiver.
 * @throws ExporterError for files and settings that cannot be used
 */
export async function openOtlpPush(
  config: Config,
  context: CommandContext,
  env: NodeJS.ProcessEnv,
): Promise<OtlpPush | undefined> {
  const prepared = await prepareOtlpPush(config, context, env, CLAIM_WAIT_MS);
  return prepared && beginPrepared(prepared, undefined, context);
}

/** As `beginOtlpPush`, which is loaded with all that it takes where something is pushed. */
export async function beginPrepared(
  prepared: PreparedPush,
  before: OtlpPush | undefined,
  context: CommandContext,
): Promise<OtlpPush> {
  const { beginOtlpPush } = await import("./otlp-push.ts");
  return beginOtlpPush(prepared, before, context);
}
