import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { type CommandContext, readText } from "../app/context.ts";
import type { Leadership } from "../app/leadership.ts";
import type { Shard } from "../config/shard.ts";
import type { ElectionTimes } from "../leadership/election.ts";
import type { Elector } from "../leadership/elector.ts";
import type { LeaseClient, LeaseRehearser } from "../leadership/lease-client.ts";
import { SERVICE_ACCOUNT_FOLDER } from "../leadership/service-account.ts";
import { electionTimes, type LeaderElectionFlags, RESOURCE_NAME } from "./leader-election-flags.ts";

/** An election that has not begun. */
export interface OpenElection {
  readonly elector: Elector;
  readonly leadership: Leadership;
}

/** The Lease that these flags name, at the API server of the cluster around this process. */
export interface OpenLease {
  /** To be closed. */
  readonly client: LeaseClient & LeaseRehearser;
  readonly times: ElectionTimes;
  /** Of one request. */
  readonly timeoutMs: number;
  /** `namespace/name`. */
  readonly lease: string;
  /** Of the API server. */
  readonly origin: string;
}

export type ElectionFlags = LeaderElectionFlags & { readonly shard?: Shard };

/**
 * Asks nothing yet.
 * @throws ExporterError LEADER_ELECTION_INVALID, NOT_IN_CLUSTER
 */
export async function openLease(
  flags: ElectionFlags,
  { clock, redactor, build }: Pick<CommandContext, "clock" | "redactor" | "build">,
  env: NodeJS.ProcessEnv,
): Promise<OpenLease> {
  const times = electionTimes(flags);
  const [{ requestTimeout }, { createLeaseClient }, { openServiceAccount }] = await Promise.all([
    import("../leadership/elector.ts"),
    import("../leadership/lease-client.ts"),
    import("../leadership/service-account.ts"),
  ]);
  const folder = flags.leaderElectServiceAccount ?? SERVICE_ACCOUNT_FOLDER;
  const account = await openServiceAccount({ folder, env, readFile: readText, redactor });
  const namespace = flags.leaderElectResourceNamespace ?? account.namespace;
  const name = leaseName(flags);
  const userAgent = `prtg-exporter/${build.version}`;
  const timeoutMs = requestTimeout(times);
  const client = createLeaseClient({ account, namespace, name, userAgent, clock, timeoutMs });
  return { client, times, timeoutMs, lease: `${namespace}/${name}`, origin: account.origin };
}

/**
 * Undefined where none is wanted.
 * @throws ExporterError LEADER_ELECTION_INVALID, NOT_IN_CLUSTER
 */
export async function openElection(
  flags: ElectionFlags,
  context: CommandContext,
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

/** Each shard has servers of its own, and so a leader of its own. */
function leaseName({ leaderElectResourceName = RESOURCE_NAME, shard }: ElectionFlags): string {
  return shard === undefined ? leaderElectResourceName : `${leaderElectResourceName}-${shard.index}`;
}

/**
 * The pod: a container that starts again in it is the same one, since the one before is dead by then, and goes on at once.
 * Elsewhere each process is one of its own.
 */
function identityOf({ POD_NAME, POD_UID }: NodeJS.ProcessEnv): string {
  return `${POD_NAME || hostname()}_${POD_UID || randomUUID()}`;
}
