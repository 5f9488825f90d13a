import { type Command, Option } from "commander";
import { formatDuration } from "../config/quantities.ts";
import { ExporterError } from "../errors/exporter-error.ts";
import type { ElectionTimes } from "../leadership/election.ts";
import { parseInterval } from "./flags.ts";

/** As Kubernetes' own programs name theirs. */
export interface LeaderElectionFlags {
  readonly leaderElect?: boolean;
  readonly leaderElectResourceName?: string;
  /** Undefined: that of the pod. */
  readonly leaderElectResourceNamespace?: string;
  /** These three in milliseconds. */
  readonly leaderElectLeaseDuration?: number;
  readonly leaderElectRenewDeadline?: number;
  readonly leaderElectRetryPeriod?: number;
  /** Undefined: where Kubernetes mounts it. */
  readonly leaderElectServiceAccount?: string;
}

export const RESOURCE_NAME = "prtg-exporter";
/** Others notice a death after 12 to 15 seconds; a leader bears 7 to 9 without the API server. */
const LEASE_DURATION_MS = 12_000;
const RENEW_DEADLINE_MS = 9_000;
const RETRY_PERIOD_MS = 2_000;

/** `--leader-elect` and its companions. */
export function addLeaderElectionFlags(command: Command): Command {
  const duration = (flag: string, text: string, ms: number) =>
    new Option(`--leader-elect-${flag} <duration>`, text).default(ms, formatDuration(ms)).argParser(parseInterval);
  return command
    .option("--leader-elect", "work only while this replica holds a Lease of Kubernetes; else stand by")
    .addOption(
      new Option("--leader-elect-resource-name <name>", "name of the Lease; with --shard the index is added").default(
        RESOURCE_NAME,
      ),
    )
    .option("--leader-elect-resource-namespace <name>", "namespace of the Lease; without it that of the pod")
    .addOption(duration("lease-duration", "others take a Lease that did not change for so long", LEASE_DURATION_MS))
    .addOption(duration("renew-deadline", "a leader that could not renew for so long stops", RENEW_DEADLINE_MS))
    .addOption(duration("retry-period", "time between two attempts to renew or to take it", RETRY_PERIOD_MS))
    .option(
      "--leader-elect-service-account <folder>",
      "has token, ca.crt and namespace; without it where Kubernetes mounts them",
    );
}

/** @throws ExporterError LEADER_ELECTION_INVALID */
export function electionTimes(flags: LeaderElectionFlags): ElectionTimes {
  const times = {
    leaseDurationMs: flags.leaderElectLeaseDuration ?? LEASE_DURATION_MS,
    renewDeadlineMs: flags.leaderElectRenewDeadline ?? RENEW_DEADLINE_MS,
    retryPeriodMs: flags.leaderElectRetryPeriod ?? RETRY_PERIOD_MS,
  };
  const { leaseDurationMs, renewDeadlineMs, retryPeriodMs } = times;
  // The distance is for clock drift, and for a second attempt.
  if (leaseDurationMs >= 1.25 * renewDeadlineMs && renewDeadlineMs >= 2 * retryPeriodMs) return times;
  const given = [leaseDurationMs, renewDeadlineMs, retryPeriodMs].map(formatDuration).join(", ");
  throw new ExporterError("LEADER_ELECTION_INVALID", `lease duration, renew deadline and retry period are ${given}`);
}
