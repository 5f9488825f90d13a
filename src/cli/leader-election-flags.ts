import { type Command, Option } from "commander";
import { formatDuration } from "../config/quantities.ts";
import { ExporterError } from "../errors/exporter-error.ts";
import type { ElectionTimes } from "../leadership/election.ts";
import { parseInterval } from "./flags.ts";

/** Names as in Kubernetes' programs. */
export interface LeaderElectionFlags {
  readonly leaderElect?: boolean;
  readonly leaderElectResourceName?: string;
  /** `undefined`: the pod's namespace. */
  readonly leaderElectResourceNamespace?: string;
  /** Milliseconds, like the next two. */
  readonly leaderElectLeaseDuration?: number;
  readonly leaderElectRenewDeadline?: number;
  readonly leaderElectRetryPeriod?: number;
  /** `undefined`: the mount path of Kubernetes. */
  readonly leaderElectServiceAccount?: string;
}

export const RESOURCE_NAME = "prtg-exporter";
/** Followers notice a dead leader after 12 to 15 seconds. A leader survives 7 to 9 seconds without the API server. */
const LEASE_DURATION_MS = 12_000;
const RENEW_DEADLINE_MS = 9_000;
const RETRY_PERIOD_MS = 2_000;

export function addLeaderElectionFlags(command: Command): Command {
  const duration = (flag: string, text: string, ms: number) =>
    new Option(`--leader-elect-${flag} <duration>`, text).default(ms, formatDuration(ms)).argParser(parseInterval);
  return command
    .option("--leader-elect", "work only while this replica holds a Kubernetes Lease")
    .addOption(
      new Option("--leader-elect-resource-name <name>", "name of the Lease (--shard appends its index)").default(
        RESOURCE_NAME,
      ),
    )
    .option("--leader-elect-resource-namespace <name>", "namespace of the Lease (default: namespace of the pod)")
    .addOption(
      duration("lease-duration", "standbys take over a Lease without renewal for this long", LEASE_DURATION_MS),
    )
    .addOption(duration("renew-deadline", "the leader stops if it cannot renew for this long", RENEW_DEADLINE_MS))
    .addOption(duration("retry-period", "interval of attempts to renew or take the Lease", RETRY_PERIOD_MS))
    .option(
      "--leader-elect-service-account <folder>",
      "directory with token, ca.crt and namespace (default: mount path of Kubernetes)",
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
  // Leaves time for clock drift and a second attempt.
  if (leaseDurationMs >= 1.25 * renewDeadlineMs && renewDeadlineMs >= 2 * retryPeriodMs) return times;
  const durations = [leaseDurationMs, renewDeadlineMs, retryPeriodMs].map(formatDuration).join(", ");
  throw new ExporterError(
    "LEADER_ELECTION_INVALID",
    `lease duration, renew deadline and retry period are ${durations}`,
  );
}
