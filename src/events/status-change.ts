import type { NodeState } from "../model/node-state.ts";
import type { StatusToken } from "../prtg/status.ts";
import type { ToldStatus } from "./told-statuses.ts";

/** One change of a status. */
export interface StatusChange {
  readonly from: ToldStatus;
  readonly to: StatusToken;
  /** When it began, milliseconds since the epoch; undefined where the server does not say. */
  readonly at: number | undefined;
  /** The server's words for the new status, where they are about it. */
  readonly message: string | undefined;
  /** No poll saw it, but the record proves it. */
  readonly isInferred: boolean;
}

/** What a list says of a node, as far as it is about its status. */
export type ListedStatus = Pick<NodeState, "message" | "lastUp" | "lastDown">;

/** In these a scan of a sensor fails, or it counts as failing. */
const DOWN: ReadonlySet<StatusToken> = new Set(["down", "partialdown", "acknowledged"]);
/** In these a scan of a sensor works. */
const UP: ReadonlySet<StatusToken> = new Set(["up", "warning", "unusual"]);

/**
 * The changes that lead from what was told last to what a list shows, oldest first; none where nothing is proven to have
 * changed. `since`: when the status that is shown began.
 *
 * What comes and goes between two polls is not seen. But a sensor that was never down in what was told and in what is shown, and
 * was last down between the times at which these began, was down in between; likewise for up.
 */
export function changesBetween(
  told: ToldStatus,
  status: StatusToken,
  since: number | undefined,
  listed: ListedStatus,
): readonly StatusChange[] {
  const between = provenBetween(told, status, since, listed);
  if (between.length === 0 && status === told.status) return [];
  const changes: StatusChange[] = [];
  let from = told;
  for (const [to, at] of between) {
    changes.push({ from, to, at, message: undefined, isInferred: true });
    from = { status: to, since: at };
  }
  // A status that began no later than the one before did not begin then: the server kept the time of what it stands for.
  const at = since !== undefined && since > (told.since ?? Number.NEGATIVE_INFINITY) ? since : undefined;
  const isInferred = status === told.status;
  changes.push({ from, to: status, at, message: listed.message, isInferred });
  return changes;
}

function provenBetween(
  told: ToldStatus,
  status: StatusToken,
  since: number | undefined,
  { lastUp, lastDown }: ListedStatus,
): readonly (readonly [StatusToken, number])[] {
  if (told.since === undefined || since === undefined) return [];
  const begin = told.since;
  const isBetween = (at: number | undefined) => at !== undefined && at > begin && at < since;
  const proven: (readonly [StatusToken, number])[] = [];
  if (lastDown !== undefined && isBetween(lastDown) && !DOWN.has(told.status) && !DOWN.has(status)) {
    proven.push(["down", lastDown]);
  }
  if (lastUp !== undefined && isBetween(lastUp) && !UP.has(told.status) && !UP.has(status)) proven.push(["up", lastUp]);
  return proven.toSorted(([, a], [, b]) => a - b);
}
