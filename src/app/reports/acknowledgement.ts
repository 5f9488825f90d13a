import type { NodeState } from "../../model/node-state.ts";
import type { TreeNode } from "../../model/tree.ts";

/** Longest time between the last success and the start of a status that PRTG did not renew, in milliseconds. */
const ONE_SCAN_MS = 5 * 60_000;

/** Milliseconds since the epoch. */
export interface AcknowledgedTimes {
  readonly downSince: number | undefined;
  /** `undefined` if PRTG did not say when. */
  readonly acknowledgedAt: number | undefined;
}

interface AcknowledgedSensor extends Pick<NodeState, "downBefore" | "lastUp" | "statusSince"> {
  readonly intervalSeconds: number | undefined;
}

/** Times of an acknowledged sensor. Some servers set the start of the status to the acknowledgement. */
export function acknowledgedTimes(sensor: AcknowledgedSensor): AcknowledgedTimes {
  const { statusSince, lastUp, downBefore, intervalSeconds = 0 } = sensor;
  const downSince = downBefore?.since;
  if (downSince !== undefined) {
    const isRenewed = statusSince !== undefined && statusSince > downSince;
    return { downSince, acknowledgedAt: isRenewed ? statusSince : undefined };
  }
  if (statusSince === undefined || lastUp === undefined) {
    return { downSince: lastUp ?? statusSince, acknowledgedAt: undefined };
  }
  const isRenewed = statusSince - lastUp > Math.max(ONE_SCAN_MS, 2_000 * intervalSeconds);
  return isRenewed
    ? { downSince: lastUp, acknowledgedAt: statusSince }
    : { downSince: statusSince, acknowledgedAt: undefined };
}

/** Start of the problem or status as pages show it, milliseconds since the epoch. @param now Monotonic ms. */
export function shownSince({ kind, intervalSeconds }: TreeNode, known: NodeState, now: number): number | undefined {
  const { status, downBefore, lastUp } = known;
  const statusSince = known.statusSinceAt(now);
  if (kind !== "sensor" || status !== "acknowledged") return statusSince;
  return acknowledgedTimes({ downBefore, lastUp, statusSince, intervalSeconds }).downSince;
}
