import { statusFacts } from "../../../prtg/status.ts";
import type { NodeSummary, SensorReport } from "./report.ts";

/** Longest time between the last success and the start of a status that PRTG did not renew. */
const ONE_SCAN_SECONDS = 300;

export interface DownTime {
  /** ISO 8601. */
  readonly since: string;
  /** `null`: not acknowledged, or PRTG did not say when. */
  readonly acknowledgedAt: string | null;
  readonly isAcknowledged: boolean;
}

/** `undefined` for a sensor that is not down. Some servers set the start of the status to the acknowledgement. */
export function downTimeOf(
  { status, status_since: since, acknowledgement }: Pick<NodeSummary, "status" | "status_since" | "acknowledgement">,
  { last_up_at: up, interval_seconds }: Pick<SensorReport, "last_up_at" | "interval_seconds">,
): DownTime | undefined {
  const group = statusFacts(status ?? "")?.group;
  if (group === "down") return since === null ? undefined : { since, acknowledgedAt: null, isAcknowledged: false };
  if (group !== "acknowledged") return undefined;
  if (acknowledgement !== null && acknowledgement.down_since !== null) {
    return {
      since: acknowledgement.down_since,
      acknowledgedAt: acknowledgement.acknowledged_at,
      isAcknowledged: true,
    };
  }
  if (since === null || up === null) {
    const known = up ?? since;
    return known === null ? undefined : { since: known, acknowledgedAt: null, isAcknowledged: true };
  }
  const scan = Math.max(ONE_SCAN_SECONDS, 2 * (interval_seconds ?? 0));
  const isRenewed = Date.parse(since) - Date.parse(up) > scan * 1_000;
  return { since: isRenewed ? up : since, acknowledgedAt: isRenewed ? since : null, isAcknowledged: true };
}
