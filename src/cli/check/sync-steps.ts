import type { CommandContext } from "../../app/context.ts";
import { openSync, syncMetrics } from "../../app/sync.ts";
import type { Config } from "../../config/load.ts";
import { STANDARD_OUTPUT } from "../../config/schema.ts";
import { describeFault, ExporterError } from "../../errors/exporter-error.ts";
import type { StateReport } from "../../state/state-files.ts";
import { changeTable } from "../../sync/change-table.ts";
import { memoryFault, SYNC_FILE } from "../../sync/sync-memory.ts";
import { isInside, testAuditLog, testStateDirectory } from "../../sync/writable-files.ts";
import { type Finding, ok, type StepResult, warning } from "./step.ts";

export const SYNC = "sync";
const STATE = "state_dir";
const AUDIT = "audit_log";
const RIGHTS = "acknowledge";
const SILENCES = "Alertmanager";
const ROUND = "next round";
export const SYNC_SUBJECTS: readonly string[] = [STATE, AUDIT, RIGHTS, SILENCES, ROUND];

const NAME_REMEDY =
  "sync changes nothing for it. Use a name from servers or from a file of servers_from in sync.servers.";
const MEMORY_REMEDY =
  "sync moves the file aside when it starts. Acknowledgements of sync that still last can then become silences.";
const UNREAD_REMEDY = "See the lines of this server above. `prtg-exporter sync --dry-run` logs the reason.";

/** No sensor has this id, so only the rights decide about the answer. */
const NO_SENSOR = "0";

/** Tests what `sync` needs, prints what its next round would change, and changes nothing. */
export async function* syncFindings(
  config: Config,
  context: CommandContext,
  signal: AbortSignal,
): AsyncGenerator<Finding> {
  // Findings say the same, in one table.
  const quiet = { ...context, log: context.log.child({}, { level: "silent" }) };
  const opened = await openSync(config, quiet, syncMetrics(context).observer, false);
  const { exporter, alertmanager, loop, memory, unread, stop } = opened;
  const failed = new Set<string>();
  const found = async (server: string, subject: string, work: () => Promise<StepResult>): Promise<Finding> => {
    try {
      return { server, subject, status: "ok", ...(await work()) };
    } catch (error) {
      failed.add(subject);
      const remedy = error instanceof ExporterError ? error.remedy : undefined;
      return { server, subject, status: "FAILED", text: describeFault(error), ...(remedy && { remedy }) };
    }
  };
  const { stateDir = "", sync } = config;
  const auditLog = sync?.auditLog ?? STANDARD_OUTPUT;
  try {
    yield await found(SYNC, STATE, async () => {
      await testStateDirectory(stateDir);
      return judgeMemory(memory);
    });
    yield await found(SYNC, AUDIT, async () => {
      if (auditLog === STANDARD_OUTPUT) return ok("standard output");
      if (failed.has(STATE) && isInside(auditLog, stateDir)) return skipped(STATE);
      await testAuditLog(auditLog, stateDir);
      return ok("sync can write it");
    });
    for (const name of sync?.servers.keys() ?? []) {
      yield await found(name, RIGHTS, async () => {
        const monitor = exporter.monitor(name);
        if (monitor === undefined) return warning("no server has this name", NAME_REMEDY);
        await monitor.api.actions.acknowledge(NO_SENSOR, { durationSeconds: 60, message: "" }, signal);
        return ok("the key may acknowledge");
      });
    }
    yield await found(SYNC, SILENCES, async () => {
      const [silences, alerts] = [await alertmanager.silences(signal), await alertmanager.alerts(signal)];
      return ok(`${silences.length} silences, ${alerts.length} alerts`);
    });
    yield await found(SYNC, ROUND, async () => {
      if (failed.has(SILENCES)) return skipped(SILENCES);
      await exporter.pollOnce(signal);
      const { changes, complaints } = await loop.decide(signal);
      const missing = unread();
      if (changes.length + complaints.length > 0) context.print(changeTable(changes, complaints, missing));
      if (missing.length > 0) return warning(`unknown, because ${missing.join(", ")} could not be read`, UNREAD_REMEDY);
      return ok(`${changes.length} changes, ${complaints.length} silences and pauses without an effect`);
    });
  } finally {
    await stop();
  }
}

function skipped(needed: string): StepResult {
  return { status: "skipped", text: `not tested: needs ${needed}` };
}

/** @throws ExporterError SYNC_STATE_UNWRITABLE for a file that cannot be read */
function judgeMemory({ found, message }: StateReport): StepResult {
  if (found === "unreadable") throw memoryFault(new Error(message));
  if (found === "good" || found === "new") return ok("sync can write its memory");
  return warning(`${SYNC_FILE} is unusable: ${message}`, MEMORY_REMEDY);
}
