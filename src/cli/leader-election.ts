import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { type CommandContext, readText } from "../app/context.ts";
import type { Leadership } from "../app/standby.ts";
import type { Shard } from "../config/shard.ts";
import type { Elector } from "../leadership/elector.ts";
import { SERVICE_ACCOUNT_FOLDER } from "../leadership/service-account.ts";
import { electionTimes, type LeaderElectionFlags, RESOURCE_NAME } from "./leader-election-flags.ts";

/** An election that has not begun. */
export interface OpenElection {
  readonly elector: Elector;
  readonly leadership: Leadership;
}

/**
 * Undefined where none is wanted.
 * @throws ExporterError LEADER_ELECTION_INVALID, NOT_IN_CLUSTER
 */
export async function openElection(
  flags: LeaderElectionFlags & { readonly shard?: Shard },
  { clock, random, log, redactor, build }: CommandContext,
  env: NodeJS.ProcessEnv,
): Promise<OpenElection | undefined> {
  if (flags.leaderElect !== true) return undefined;
  const times = electionTimes(flags);
  const [{ Elector, requestTimeout }, { createLeaseClient }, { openServiceAccount }] = await Promise.all([
    import("../leadership/elector.ts"),
    import("../leadership/lease-client.ts"),
    import("../leadership/service-account.ts"),
  ]);
  const folder = flags.leaderElectServiceAccount ?? SERVICE_ACCOUNT_FOLDER;
  const account = await openServiceAccount({ folder, env, readFile: readText, redactor });
  const namespace = flags.leaderElectResourceNamespace ?? account.namespace;
  const name = leaseName(flags);
  const userAgent = `prtg-exporter/${build.version}`;
  const client = createLeaseClient({ account, namespace, name, userAgent, clock, timeoutMs: requestTimeout(times) });
  const elector = new Elector({ client, times, identity: identityOf(env), clock, random, log });
  const leadership: Leadership = {
    lease: `${namespace}/${name}`,
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
function leaseName({ leaderElectResourceName = RESOURCE_NAME, shard }: Parameters<typeof openElection>[0]): string {
  return shard === undefined ? leaderElectResourceName : `${leaderElectResourceName}-${shard.index}`;
}

/**
 * The pod: a container that starts again in it is the same one, since the one before is dead by then, and goes on at once.
 * Elsewhere each process is one of its own.
 */
function identityOf({ POD_NAME, POD_UID }: NodeJS.ProcessEnv): string {
  return `${POD_NAME || hostname()}_${POD_UID || randomUUID()}`;
}
