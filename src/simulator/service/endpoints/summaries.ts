import { notFound } from "../api-errors.ts";
import { type Call, type Endpoint, jsonReply, type Reply } from "../endpoint.ts";
import { renderSummary } from "../records/summary.ts";

export const SUMMARIES: readonly Endpoint[] = [
  {
    operation: "getSensorStatusSummary",
    access: "bearer",
    handle: ({ rendering }) =>
      jsonReply(renderSummary(rendering.summaries.of(rendering.world.root), rendering.spelling)),
  },
  { operation: "getSensorStatusSummaryOf", access: "bearer", handle: summaryOf },
];

/** "ID of a probe, group or device", the root being a group. */
function summaryOf({ visible, params, rendering }: Call): Reply {
  const node = visible.node(params.id ?? "");
  if (node === undefined || node.kind === "sensor") throw notFound();
  return jsonReply(renderSummary(rendering.summaries.of(node), rendering.spelling));
}
