import { type ConfigFlags, createContext, type LogFlags, loadFlaggedConfig, readText } from "../../app/context.ts";
import { mappingOf } from "../../app/mapping.ts";
import { refuseNewerState } from "../../app/state-versions.ts";
import { refuseBadFiles } from "../../config/server-files.ts";
import type { Redactor } from "../../errors/redactor.ts";
import { RuleUse } from "../../mapping/rules/rule-use.ts";
import { inspectStateDirectory } from "../../state/state-files.ts";
import {
  AGREEMENT,
  type CompareFlags,
  electionTimes,
  type LeaderElectionFlags,
  type WebConfigFlags,
} from "../flags.ts";
import { interruption } from "../signals.ts";
import { openWebConfig, refuseUnknownUsers } from "../web-config.ts";
import { ELECTION, ELECTION_SUBJECTS, leaseFindings } from "./lease-steps.ts";
import { RULES } from "./list-steps.ts";
import { checkSteps } from "./plan.ts";
import { createServerCheck, REST } from "./server-check.ts";
import { concludeFindings, type Finding, findingsTable } from "./step.ts";
import { SYNC, SYNC_SUBJECTS, syncFindings } from "./sync-steps.ts";
import { webUserLines } from "./web-users.ts";

export interface CheckFlags extends LogFlags, ConfigFlags, WebConfigFlags, LeaderElectionFlags, CompareFlags {
  readonly report?: string;
  readonly sync?: true;
}

/** Checks everything that `serve` needs and prints findings immediately. Resolves with the exit code. */
export async function check(flags: CheckFlags, redactor: Redactor): Promise<number> {
  const interrupted = interruption();
  const context = await createContext(flags, redactor);
  const checksSync = flags.sync === true;
  const loading = loadFlaggedConfig(flags, context, process.env, readText, undefined, checksSync);
  const { config, source, badServerFiles } = await loading;
  refuseBadFiles(badServerFiles);
  const web = await openWebConfig(flags, context);
  refuseUnknownUsers(config, web);
  context.print(`${source}: the configuration is valid`);
  for (const text of config.deprecated ?? []) context.print(`warning: ${text}`);
  if (web !== undefined) context.print(`${flags["web.config.file"]}: the web configuration is valid`);
  for (const line of webUserLines(config, web?.current.users.keys())) context.print(line);
  const directory = config.stateDir && (await inspectStateDirectory(config.stateDir, false));
  if (directory) context.print(`${directory.kind === "open" ? "warning" : "note"}: ${directory.text}`);
  await refuseNewerState(config, process.env);
  const elects = flags.leaderElect === true;
  if (elects) electionTimes(flags);
  const { rules } = mappingOf(config).mapper;
  const ruleUse = rules?.rules.some(({ isPreset }) => !isPreset) ? new RuleUse(rules) : undefined;
  const checks = config.servers.map((server) =>
    createServerCheck(server, checkSteps(server, config, ruleUse), config, context, interrupted.signal),
  );
  const formatFinding = findingsTable(
    [
      ...config.servers.map(({ name }) => name),
      ...[...(ruleUse ? [MAPPING] : []), ...(elects ? [ELECTION] : []), ...(checksSync ? [SYNC] : [])],
    ],
    [
      ...checks.flatMap(({ subjects }) => subjects),
      ...(flags.compare === undefined ? [] : [AGREEMENT]),
      ...[REST, ...(elects ? ELECTION_SUBJECTS : []), ...(checksSync ? SYNC_SUBJECTS : [])],
    ],
  );
  const findings: Finding[] = [];
  const election = elects ? [leaseFindings(flags, context, process.env, interrupted.signal)] : [];
  const syncing = checksSync ? [syncFindings(config, context, interrupted.signal)] : [];
  // Checks servers concurrently and prints them one after another.
  for (const stream of [...checks.map((each) => each.start()), ...election, ...syncing]) {
    for await (const finding of stream) {
      findings.push(finding);
      context.print(formatFinding(finding));
    }
  }
  if (interrupted.exitCode !== undefined) return interrupted.exitCode;
  // Rules for servers of other shards match nothing here.
  if (ruleUse !== undefined && flags.shard === undefined) {
    const found = idleRuleFindings(ruleUse, config.servers.length, findings);
    for (const finding of found) context.print(formatFinding(finding));
    findings.push(...found);
  }
  if (flags.compare !== undefined) {
    const { compareServers } = await import("../compare/agreement.ts");
    const { signal } = interrupted;
    const found = await compareServers(flags.compare, flags, { config, findings, context, signal });
    if (interrupted.exitCode !== undefined) return interrupted.exitCode;
    for (const finding of found) context.print(formatFinding(finding));
    findings.push(...found);
  }
  if (flags.report !== undefined) {
    const { writeServerReports } = await import("../report/reporter.ts");
    await writeServerReports(flags.report, config.servers, context, interrupted.signal);
    if (interrupted.exitCode !== undefined) return interrupted.exitCode;
    context.print(`${flags.report}: report for a bug report, without names, addresses and values`);
  }
  context.print(concludeFindings(findings, checksSync));
  return findings.some(({ status }) => status === "FAILED") ? 1 : 0;
}

/** Stands in the column of servers: rules apply to all of them. */
export const MAPPING = "mapping";

const MAX_RULES = 20;
const REMEDY = "Correct the rule in mapping, or remove it.";

/** Warnings about rules that match no channel of any server. None if the channels of a server are unknown. */
export function idleRuleFindings(use: RuleUse, servers: number, findings: readonly Finding[]): readonly Finding[] {
  const compared = findings.filter(({ subject, status }) => subject === RULES && status === "ok");
  if (compared.length < servers) return [];
  const idle = use.idle();
  const rest = idle.length - MAX_RULES;
  const texts = rest > 0 ? [...idle.slice(0, MAX_RULES), `${rest} more rules match no channel`] : idle;
  return texts.map((text) => ({ server: MAPPING, subject: RULES, status: "warning", text, remedy: REMEDY }));
}
