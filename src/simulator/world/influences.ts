import { addConditions, nextOutage, outage } from "./conditions.ts";
import { SensorNode, type TreeNode } from "./nodes.ts";
import { addHalts, lastOrder, nextHalt, orderSpan } from "./pauses.ts";
import { prevailing, RANK, type Span, span } from "./span.ts";

/** What children get from above, true for moments from `from` until before `until`. */
interface Inheritance {
  readonly spans: readonly Span[];
  readonly from: number;
  readonly until: number;
  /** That of the node when it was worked out. */
  readonly revision: number;
}

const NOTHING: Inheritance = { spans: [], from: -Infinity, until: Infinity, revision: 0 };

/** What bore on a node at a moment. */
interface Answer {
  readonly node: TreeNode;
  readonly at: number;
  readonly revision: number;
  readonly spans: readonly Span[];
}

/** Whether an object is down, and since when this has been so. */
export interface Alarm {
  readonly on: boolean;
  readonly since: number;
}

/**
 * Everything that bears on a node at a moment. The sensors of a device share what comes from above,
 * which changes rarely: it is kept until it does.
 */
export class Influences {
  readonly #inheritances = new Map<TreeNode, Inheritance>();
  /** The last two answers: who asks for a state asks about the same moments several times in a row. */
  #answers: { readonly last?: Answer | undefined; readonly before?: Answer | undefined } = {};
  readonly #alarmOf: (node: TreeNode, at: number) => Alarm;

  /** @param alarmOf how it is with what a node depends on */
  constructor(alarmOf: (node: TreeNode, at: number) => Alarm) {
    this.#alarmOf = alarmOf;
  }

  /** To be called for what is gone. */
  forget(node: TreeNode): void {
    this.#inheritances.delete(node);
  }

  /**
   * Of each source the last span that began at or before `at`, whether it is still on or not. What pauses a parent pauses
   * the node by dependency; behind a probe that has lost its connection everything is unknown.
   */
  bearing(node: TreeNode, at: number): readonly Span[] {
    const { revision } = node;
    const { last, before } = this.#answers;
    for (const one of [last, before]) {
      if (one?.node === node && one.at === at && one.revision === revision) return one.spans;
    }
    const spans = this.#collect(node, at);
    this.#answers = { last: { node, at, revision, spans }, before: last };
    return spans;
  }

  #collect(node: TreeNode, at: number): readonly Span[] {
    const order = lastOrder(node, at);
    // What somebody forces comes before all the rest.
    if (order?.kind === "force") return [orderSpan(order)];
    const spans: Span[] = [];
    addHalts(node, at, spans);
    if (node.dependencies.length > 0) spans.push(this.#dependency(node, at));
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
      for (const { at: when, until } of node.acknowledgements) {
        if (when <= at) last = Math.max(last, until <= at ? until : when);
      }
    }
    return last;
  }

  /** What the children of a node get from it and from all above it. */
  #inherited(node: TreeNode, at: number): Inheritance {
    const known = this.#inheritances.get(node);
    if (known?.revision === node.revision && known.from <= at && at < known.until) return known;
    const above = node.parent === undefined ? NOTHING : this.#inherited(node.parent, at);
    const own: Span[] = [];
    addHalts(node, at, own);
    if (node.dependencies.length > 0) own.push(this.#dependency(node, at));
    const spans = own.map((one) =>
      one.status === "disconnected"
        ? span(one, "unknown", RANK.disconnected)
        : { ...span(one, "pausedbydependency", RANK.dependency), message: reasonOf(one) },
    );
    let until = Math.min(above.until, nextHalt(node, at));
    // A probe reaches itself.
    if (node.kind === "device" && node.type === "device") {
      spans.push(outage(node, at));
      until = Math.min(until, nextOutage(node, at));
    }
    // The last order decides which pauses count, and it is the latest thing that can have begun.
    const from = Math.max(above.from, lastOrder(node, at)?.at ?? -Infinity, ...spans.map(({ start }) => start));
    // When an alarm begins and ends is not known beforehand.
    if (node.dependencies.length > 0) until = Math.min(until, at + 1);
    const inheritance = { spans: [...spans, ...above.spans], from, until, revision: node.revision };
    this.#inheritances.set(node, inheritance);
    return inheritance;
  }

  /** The pause from what the node depends on; where that is well, one that has ended when it became so. */
  #dependency(node: TreeNode, at: number): Span {
    const chosen = node.dependencies.findLast((one) => one.at <= at);
    if (chosen === undefined) return ended(-Infinity);
    const { target } = chosen;
    if (target === undefined) return ended(chosen.at);
    const { on, since } = this.#alarmOf(target, at);
    const start = Math.max(chosen.at, since);
    if (!on) return ended(start);
    const message = `Paused because ${target.name} is down`;
    return { ...span({ start, end: Infinity, draw: 0 }, "pausedbydependency", RANK.dependency), message };
  }
}

/** What somebody said about the pause of a parent is not the reason of its children. */
function reasonOf({ status, message }: Span): string | undefined {
  return status === "pausedbydependency" ? message : undefined;
}

/** It has no length: all that it tells is that nothing of its kind was different since. */
function ended(at: number): Span {
  return span({ start: at, end: at, draw: 0 }, "pausedbydependency", RANK.dependency);
}
