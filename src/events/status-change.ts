import type { NodeState } from "../model/node-state.ts";
import type { StatusToken } from "../prtg/status.ts";
import type { LastStatus } from "./last-statuses.ts";

export interface StatusChange {
  readonly from: LastStatus;
  readonly to: StatusToken;
  /** Its begin, milliseconds since the epoch; undefined where the server does not say. */
  readonly at: number | undefined;
  /** The server's words about the new status. */
  readonly message: string | undefined;
  /** No poll saw it; the record proves it. */
  readonly isInferred: boolean;
}

/** About a node's status, in a list. */
export type StatusFacts = Pick<NodeState, "message" | "lastUp" | "lastDown">;

/** A scan fails, or counts as failing. */
const DOWN: ReadonlySet<StatusToken> = new Set(["down", "partialdown", "acknowledged"]);
/** A scan works. */
const UP: ReadonlySet<StatusToken> = new Set(["up", "warning", "unusual"]);

/**
 * The changes from the last reported status to the listed one, oldest first; none without proof. `since`: begin of the
 * listed status. A sensor that is down in neither, but was last down between their begins, was down in between;
 * likewise for up.
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
  // A status that began no later than the one before keeps that one's time.
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
  if (lastDown !== undefined && isBetween(lastDown) && !DOWN.has(last.status) && !DOWN.has(status)) {
    proven.push(["down", lastDown]);
  }
  if (lastUp !== undefined && isBetween(lastUp) && !UP.has(last.status) && !UP.has(status)) proven.push(["up", lastUp]);
  return proven.toSorted(([, a], [, b]) => a - b);
}
