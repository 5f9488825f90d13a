import type { NodeState } from "../model/node-state.ts";
import { STATUSES, type StatusToken } from "../prtg/status.ts";

/** The last reported status of an object. */
export interface LastStatus {
  readonly status: StatusToken;
  readonly since: number | undefined;
}

export interface StatusChange {
  readonly from: LastStatus;
  readonly to: StatusToken;
  /** Begin, milliseconds since the epoch. `undefined` if the server does not say. */
  readonly at: number | undefined;
  /** The server's words about the new status. */
  readonly message: string | undefined;
  /** No poll saw the status, but the record proves it. */
  readonly isInferred: boolean;
}

/** About a node's status, in a list. */
export type StatusFacts = Pick<NodeState, "message" | "lastUp" | "lastDown">;

/**
 * The changes between the reported and the new status, oldest first. If a sensor is down in neither, but was down in
 * between, there are two changes. The same holds for up.
 * @param since Begin of the new status.
 */
export function changesBetween(
  last: LastStatus,
  status: StatusToken,
  since: number | undefined,
  facts: StatusFacts,
): readonly StatusChange[] {
  const between = provenBetween(last, status, since, facts);
  if (between.length === 0 && status === last.status) return [];
  const changes: StatusChange[] = [];
  let from = last;
  for (const [to, at] of between) {
    changes.push({ from, to, at, message: undefined, isInferred: true });
    from = { status: to, since: at };
  }
  // A status cannot begin before the previous one.
  const at = since !== undefined && since > (last.since ?? Number.NEGATIVE_INFINITY) ? since : undefined;
  const isInferred = status === last.status;
  changes.push({ from, to: status, at, message: facts.message, isInferred });
  return changes;
}

function provenBetween(
  last: LastStatus,
  status: StatusToken,
  since: number | undefined,
  { lastUp, lastDown }: StatusFacts,
): readonly (readonly [StatusToken, number])[] {
  if (last.since === undefined || since === undefined) return [];
  const begin = last.since;
  const isBetween = (at: number | undefined) => at !== undefined && at > begin && at < since;
  const proven: (readonly [StatusToken, number])[] = [];
  const scans = [STATUSES[last.status].scan, STATUSES[status].scan];
  if (lastDown !== undefined && isBetween(lastDown) && !scans.includes("failed")) proven.push(["down", lastDown]);
  if (lastUp !== undefined && isBetween(lastUp) && !scans.includes("worked")) proven.push(["up", lastUp]);
  return proven.toSorted(([, a], [, b]) => a - b);
}
