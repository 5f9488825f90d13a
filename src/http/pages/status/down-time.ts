import { statusFacts } from "../../../prtg/status.ts";
import type { NodeSummary } from "./report.ts";

export interface DownTime {
  /** ISO 8601. */
  readonly since: string;
  /** `null`: not acknowledged, or PRTG did not say when. */
  readonly acknowledgedAt: string | null;
  readonly isAcknowledged: boolean;
}

/** `undefined` for a sensor that is not down, or whose start is not known. */
export function downTimeOf({
  status,
  status_since,
  acknowledgement,
}: Pick<NodeSummary, "status" | "status_since" | "acknowledgement">): DownTime | undefined {
  const isAcknowledged = acknowledgement !== null;
  if (!isAcknowledged && statusFacts(status ?? "")?.group !== "down") return undefined;
  const since = isAcknowledged ? acknowledgement.down_since : status_since;
  return since === null
    ? undefined
    : { since, acknowledgedAt: acknowledgement?.acknowledged_at ?? null, isAcknowledged };
}
