import { SERVER_STATES, type ServerState } from "../../http/pages/status/status-marks.ts";
import type { StatusToken } from "../../prtg/status.ts";

/** What the order of servers depends on. */
export interface RankedServer {
  readonly name: string;
  readonly state: ServerState;
  readonly sensorsByStatus: ReadonlyMap<StatusToken, number>;
}

const DOWN: readonly StatusToken[] = ["down", "partialdown", "disconnected"];
const WARNING: readonly StatusToken[] = ["warning", "unusual"];

/** `customer 9` before `customer 10`, the same wherever the exporter runs. */
function byName(a: string, b: string): number {
  // Made when a page asks: see `formatter` in src/http/pages/status/figures.ts.
  collator ??= new Intl.Collator("en", { numeric: true });
  return collator.compare(a, b);
}

let collator: Intl.Collator | undefined;

/** How a server fares, from what is known of the runs of its collectors. */
export function serverState(seen: {
  readonly isUp: boolean;
  /** Requests are held back as it does not answer. */
  readonly isHeldBack: boolean;
  readonly hasFailures: boolean;
}): ServerState {
  const { isUp, isHeldBack, hasFailures } = seen;
  if (isUp) return hasFailures ? "impaired" : "working";
  if (isHeldBack) return "unreachable";
  // What is not up without a failure has not been asked for yet: also a server that came with a reload.
  return hasFailures ? "failing" : "starting";
}

/**
 * The worst first: by state in the order of `SERVER_STATES`; then more sensors that are down, partly down or disconnected;
 * then more with a warning or unusual; then by name.
 */
export function compareServers(a: RankedServer, b: RankedServer): number {
  return (
    SERVER_STATES.indexOf(a.state) - SERVER_STATES.indexOf(b.state) ||
    sensorsIn(b, DOWN) - sensorsIn(a, DOWN) ||
    sensorsIn(b, WARNING) - sensorsIn(a, WARNING) ||
    byName(a.name, b.name)
  );
}

function sensorsIn({ sensorsByStatus }: RankedServer, statuses: readonly StatusToken[]): number {
  return statuses.reduce((sum, status) => sum + (sensorsByStatus.get(status) ?? 0), 0);
}
