import { type Html, html } from "./html.ts";
import { nodeLink } from "./links.ts";
import { type ListPart, objectTable, pages } from "./object-table.ts";
import type { NodeReport, NodeSummary } from "./report.ts";
import type { Sort } from "./source.ts";

const CHILDREN_A_PAGE = 50;
const CHANNELS_A_PAGE = 200;

/** Direct children. A link opens each, and the script opens it in place. */
export function childRows({ node, children, generated_at: now }: NodeReport, sort?: Sort): Html {
  const { total, from, items } = children;
  if (total === 0) return html`<p class="none">No children.</p>`;
  const sortLink = (by: string) => nodeLink(node, { sort: by });
  const to = (index: number) => nodeLink(node, { from: index, sort });
  return html`${objectTable(items, { now, label: "Children", sort, sortLink })}${pages(
    { from, count: items.length, total },
    to(Math.max(0, from - CHILDREN_A_PAGE)),
    to(from + items.length),
  )}`;
}

/** Of the channels of a sensor. */
export function pagination(node: NodeSummary, part: ListPart): Html | false {
  const { from, count } = part;
  return pages(
    part,
    nodeLink(node, { from: Math.max(0, from - CHANNELS_A_PAGE) }),
    nodeLink(node, { from: from + count }),
  );
}
