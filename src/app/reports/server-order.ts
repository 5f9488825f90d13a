import { SERVER_STATES, type ServerState } from "../../http/pages/status/status-order.ts";
import { STATUSES, type StatusGroup, type StatusToken } from "../../prtg/status.ts";

export interface RankedServer {
  readonly name: string;
  readonly state: ServerState;
  readonly sensorsByStatus: ReadonlyMap<StatusToken, number>;
}

/** `customer 9` before `customer 10`, the same wherever the exporter runs. */
export function byName(a: string, b: string): number {
  // Lazy: see `formatter` in src/http/pages/status/figures.ts.
  collator ??= new Intl.Collator("en", { numeric: true });
  return collator.compare(a, b);
}

let collator: Intl.Collator | undefined;

export function serverState(runs: {
  readonly isUp: boolean;
  /** Requests are suspended, because it does not answer. */
  readonly isHeldBack: boolean;
  readonly hasFailures: boolean;
}): ServerState {
  const { isUp, isHeldBack, hasFailures } = runs;
  if (isUp) return hasFailures ? "impaired" : "working";
  if (isHeldBack) return "unreachable";
  // No poll yet, at the start or after a reload.
  return hasFailures ? "failing" : "starting";
}

/** Worst first: by `SERVER_STATES`, then by sensors that are or may be down, then by warnings, then by name. */
export function compareServers(a: RankedServer, b: RankedServer): number {
  return (
    SERVER_STATES.indexOf(a.state) - SERVER_STATES.indexOf(b.state) ||
    sensorsIn(b, "down", "unknown") - sensorsIn(a, "down", "unknown") ||
    sensorsIn(b, "warning") - sensorsIn(a, "warning") ||
    byName(a.name, b.name)
  );
}

function sensorsIn({ sensorsByStatus }: RankedServer, ...groups: readonly StatusGroup[]): number {
  let sum = 0;
  for (const [status, count] of sensorsByStatus) if (groups.includes(STATUSES[status].group)) sum += count;
  return sum;
}
