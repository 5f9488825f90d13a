import { addConditions, nextOutage, outage } from "./conditions.ts";
import { SensorNode, type TreeNode } from "./nodes.ts";
import { addHalts, lastOrder, nextHalt, orderSpan } from "./pauses.ts";
import { prevailing, RANK, type Span, span } from "./span.ts";

/** What children get from above, true for moments from `from` until before `until`. */
interface Inheritance {
  readonly spans: readonly Span[];
  readonly from: number;
  readonly until: number;
}

const NOTHING: Inheritance = { spans: [], from: -Infinity, until: Infinity };

/**
 * Everything that bears on a node at a moment. The sensors of a device share what comes from above,
 * which changes rarely: it is kept until it does.
 */
export class Influences {
  #inheritances = new Map<TreeNode, Inheritance>();

  /** To be called after each change of the tree or of what somebody ordered. */
  changed(): void {
    this.#inheritances = new Map();
  }

  /**
   * Of each source the last span that began at or before `at`, whether it is still on or not. What pauses a parent pauses
   * the node by dependency; behind a probe that has lost its connection everything is unknown.
   */
  bearing(node: TreeNode, at: number): readonly Span[] {
    const order = lastOrder(node, at);
    // What somebody forces comes before all the rest.
    if (order?.kind === "force") return [orderSpan(order)];
    const spans: Span[] = [];
    addHalts(node, at, spans);
    if (node instanceof SensorNode) addConditions(node, at, spans);
    if (node.parent !== undefined) spans.push(...this.#inherited(node.parent, at).spans);
    return spans;
  }

  /**
   * The last moment at or before `at` when something began or ended that can have changed what shows of the node.
   * -Infinity when nothing did.
   */
  lastBoundary(node: TreeNode, at: number): number {
    const spans = this.bearing(node, at);
    // During a halt, what it outranks comes and goes unseen. (Elsewhere the last span of a source can hide an earlier one of a
    // higher rank, so that nothing may be skipped.)
    const found = prevailing(spans, at);
    const shown = found?.halts ? found.rank : 0;
    let last = -Infinity;
    for (const { start, end, rank } of spans) {
      if (rank >= shown) last = Math.max(last, end <= at ? end : start);
    }
    for (let one: TreeNode | undefined = node; one !== undefined; one = one.parent) {
      if (one.orders.length > 0) last = Math.max(last, lastOrder(one, at)?.at ?? -Infinity);
    }
    if (node instanceof SensorNode) {
      for (const { at: when } of node.acknowledgements) if (when <= at) last = Math.max(last, when);
    }
    return last;
  }

  /** What the children of a node get from it and from all above it. */
  #inherited(node: TreeNode, at: number): Inheritance {
    const known = this.#inheritances.get(node);
    if (known !== undefined && known.from <= at && at < known.until) return known;
    const above = node.parent === undefined ? NOTHING : this.#inherited(node.parent, at);
    const own: Span[] = [];
    addHalts(node, at, own);
    const spans = own.map((one) =>
      one.status === "disconnected"
        ? span(one, "unknown", RANK.disconnected)
        : span(one, "pausedbydependency", RANK.dependency),
    );
    let until = Math.min(above.until, nextHalt(node, at));
    // A probe reaches itself.
    if (node.kind === "device" && node.type === "device") {
      spans.push(outage(node, at));
      until = Math.min(until, nextOutage(node, at));
    }
    // The last order decides which pauses count, and it is the latest thing that can have begun.
    const from = Math.max(above.from, lastOrder(node, at)?.at ?? -Infinity, ...spans.map(({ start }) => start));
    const inheritance = { spans: [...spans, ...above.spans], from, until };
    this.#inheritances.set(node, inheritance);
    return inheritance;
  }
}
