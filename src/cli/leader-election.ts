import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import type { Logger } from "pino";
import { type Leadership, type ProcessRuntime, readText } from "../app/context.ts";
import { endProcess } from "../app/process/end-process.ts";
import type { Shard } from "../config/shard.ts";
import type { ElectionTimes } from "../leadership/election.ts";
import type { Elector } from "../leadership/elector.ts";
import type { LeaseClient, LeaseRehearser } from "../leadership/lease-client.ts";
import { electionTimes, type LeaderElectionFlags, RESOURCE_NAME } from "./flags.ts";

export interface OpenElection {
  readonly elector: Elector;
  readonly leadership: Leadership;
}

export interface OpenLease {
  readonly client: LeaseClient & LeaseRehearser;
  readonly times: ElectionTimes;
  readonly timeoutMs: number;
  /** `namespace/name` */
  readonly lease: string;
  readonly origin: string;
}

export type ElectionFlags = LeaderElectionFlags & { readonly shard?: Shard };

/** Sends no request. @throws ExporterError LEADER_ELECTION_INVALID, NOT_IN_CLUSTER */
export async function openLease(
  flags: ElectionFlags,
  { clock, redactor, build }: Pick<ProcessRuntime, "clock" | "redactor" | "build">,
  env: NodeJS.ProcessEnv,
): Promise<OpenLease> {
  const times = electionTimes(flags);
  const [{ requestTimeout }, { createLeaseClient, openServiceAccount }] = await Promise.all([
    import("../leadership/elector.ts"),
    import("../leadership/lease-client.ts"),
  ]);
  const folder = flags.leaderElectServiceAccount;
  const account = await openServiceAccount({ folder, env, readFile: readText, redactor });
  const namespace = flags.leaderElectResourceNamespace ?? account.namespace;
  const name = leaseName(flags);
  const userAgent = `prtg-exporter/${build.version}`;
  const timeoutMs = requestTimeout(times);
  const client = createLeaseClient({ account, namespace, name, userAgent, clock, timeoutMs });
  return { client, times, timeoutMs, lease: `${namespace}/${name}`, origin: account.origin };
}

/** `undefined` without `--leader-elect`. @throws ExporterError LEADER_ELECTION_INVALID, NOT_IN_CLUSTER */
export async function openElection(
  flags: ElectionFlags,
  context: ProcessRuntime,
  env: NodeJS.ProcessEnv,
): Promise<OpenElection | undefined> {
  if (flags.leaderElect !== true) return undefined;
  const { client, times, lease } = await openLease(flags, context, env);
  const { Elector } = await import("../leadership/elector.ts");
  const { clock, random, log } = context;
  const elector = new Elector({ client, times, identity: identityOf(env), clock, random, log });
  const leadership: Leadership = {
    lease,
    identity: elector.identity,
    get isLeading() {
      return elector.isLeading;
    },
    get holder() {
      return elector.holder;
    },
  };
  return { elector, leadership };
}

/** Resolves when this replica leads. The process exits when it loses the Lease: nothing more is sent, and it restarts as a standby. */
export function standBy({ elector, leadership }: OpenElection, log: Logger): Promise<void> {
  const { lease, identity } = leadership;
  void elector.lost.then(() => {
    log.fatal({ lease, leader: leadership.holder }, "this replica is no longer the leader, and exits");
    endProcess(1);
  });
  log.info({ lease, identity }, "this replica is a standby");
  elector.start();
  return elector.elected.then(() => log.info({ lease }, "this replica is the leader"));
}

/** Each shard has other servers and elects its own leader. */
function leaseName({ leaderElectResourceName = RESOURCE_NAME, shard }: ElectionFlags): string {
  return shard === undefined ? leaderElectResourceName : `${leaderElectResourceName}-${shard.index}`;
}

/** The pod, so that a restarted container continues at once. Outside Kubernetes, the process. */
function identityOf({ POD_NAME, POD_UID }: NodeJS.ProcessEnv): string {
  return `${POD_NAME || hostname()}_${POD_UID || randomUUID()}`;
}
