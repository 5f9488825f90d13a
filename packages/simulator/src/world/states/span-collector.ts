import { SensorNode, type TreeNode } from "../nodes/nodes.ts";
import { highestRanked, RANK, type StatusSpan, statusSpan } from "../scans/status-span.ts";
import { addGeneratedProblems, nextOutage, outage } from "./generated-problems.ts";
import { addHalts, lastManualAction, manualActionSpan, nextHalt } from "./pauses.ts";

/** Spans that children inherit, valid from `from` until before `until`. */
interface InheritedSpans {
  readonly spans: readonly StatusSpan[];
  readonly from: number;
  readonly until: number;
  /** That of the node when they were collected. */
  readonly revision: number;
}

const NO_SPANS: InheritedSpans = { spans: [], from: -Infinity, until: Infinity, revision: 0 };

/** The spans of a node at one time. */
interface CollectedSpans {
  readonly node: TreeNode;
  readonly at: number;
  readonly revision: number;
  readonly spans: readonly StatusSpan[];
}

/** Whether an object is down, and since when this has been so. */
export interface DependencyState {
  readonly isDown: boolean;
  readonly since: number;
}

/** All that can affect a node's status. Caches what comes from above until it changes. */
export class SpanCollector {
  readonly #inheritances = new Map<TreeNode, InheritedSpans>();
  /** The last two results: one question about a state needs the same times several times in a row. */
  #recent: { readonly last?: CollectedSpans | undefined; readonly before?: CollectedSpans | undefined } = {};
  readonly #dependencyStateOf: (node: TreeNode, at: number) => DependencyState;

  /** @param dependencyStateOf the state of the object that a node depends on */
  constructor(dependencyStateOf: (node: TreeNode, at: number) => DependencyState) {
    this.#dependencyStateOf = dependencyStateOf;
  }

  /** To be called for removed nodes. */
  forget(node: TreeNode): void {
    this.#inheritances.delete(node);
  }

  /** Of each source the last span that began by `at`. A parent's pause pauses by dependency; a lost probe hides all. */
  spansAt(node: TreeNode, at: number): readonly StatusSpan[] {
    const { revision } = node;
    const { last, before } = this.#recent;
    for (const one of [last, before]) {
      if (one?.node === node && one.at === at && one.revision === revision) return one.spans;
    }
    const spans = this.#collect(node, at);
    this.#recent = { last: { node, at, revision, spans }, before: last };
    return spans;
  }

  #collect(node: TreeNode, at: number): readonly StatusSpan[] {
    const action = lastManualAction(node, at);
    // A forced status outranks all the rest.
    if (action?.kind === "force") return [manualActionSpan(action)];
    const spans: StatusSpan[] = [];
    addHalts(node, at, spans);
    if (node.dependencies.length > 0) spans.push(this.#dependency(node, at));
    if (node instanceof SensorNode) addGeneratedProblems(node, at, spans);
    if (node.parent !== undefined) spans.push(...this.#inherited(node.parent, at).spans);
    return spans;
  }

  /** The last time by `at` at which the status can have changed; -Infinity when never. */
  lastBoundary(node: TreeNode, at: number): number {
    const spans = this.spansAt(node, at);
    // During a halt, what it outranks comes and goes unseen. (Elsewhere the last span of a source can hide an earlier one of a
    // higher rank, so that nothing may be skipped.)
    const found = highestRanked(spans, at);
    const shown = found?.halts ? found.rank : 0;
    let last = -Infinity;
    for (const { start, end, rank } of spans) {
      if (rank >= shown) last = Math.max(last, end <= at ? end : start);
    }
    for (let one: TreeNode | undefined = node; one !== undefined; one = one.parent) {
      if (one.manualActions.length > 0) last = Math.max(last, lastManualAction(one, at)?.at ?? -Infinity);
    }
    if (node instanceof SensorNode) {
      for (const { at: when, until } of node.acknowledgements) {
        if (when <= at) last = Math.max(last, until <= at ? until : when);
      }
    }
    return last;
  }

  /** The spans that the children of a node inherit from it and from all above it. */
  #inherited(node: TreeNode, at: number): InheritedSpans {
    const known = this.#inheritances.get(node);
    if (known?.revision === node.revision && known.from <= at && at < known.until) return known;
    const above = node.parent === undefined ? NO_SPANS : this.#inherited(node.parent, at);
    const own: StatusSpan[] = [];
    addHalts(node, at, own);
    if (node.dependencies.length > 0) own.push(this.#dependency(node, at));
    const spans = own.map((one) =>
      one.status === "disconnected"
        ? statusSpan(one, "unknown", RANK.disconnected)
        : { ...statusSpan(one, "pausedbydependency", RANK.dependency), message: one.message },
    );
    let until = Math.min(above.until, nextHalt(node, at));
    // A probe reaches itself.
    if (node.kind === "device" && node.type === "device") {
      spans.push(outage(node, at));
      until = Math.min(until, nextOutage(node, at));
    }
    // The last action decides which pauses count, and it is the latest thing that can have begun.
    const from = Math.max(above.from, lastManualAction(node, at)?.at ?? -Infinity, ...spans.map(({ start }) => start));
    // When an alarm begins and ends is not known beforehand.
    if (node.dependencies.length > 0) until = Math.min(until, at + 1);
    const inheritance = { spans: [...spans, ...above.spans], from, until, revision: node.revision };
    this.#inheritances.set(node, inheritance);
    return inheritance;
  }

  /** The pause by what the node depends on; where that is up, one that ended when it came up. */
  #dependency(node: TreeNode, at: number): StatusSpan {
    const chosen = node.dependencies.findLast((one) => one.at <= at);
    if (chosen === undefined) return ended(-Infinity);
    const { target } = chosen;
    if (target === undefined) return ended(chosen.at);
    const { isDown, since } = this.#dependencyStateOf(target, at);
    const start = Math.max(chosen.at, since);
    if (!isDown) return ended(start);
    const message = `Paused because ${target.name} is down`;
    return { ...statusSpan({ start, end: Infinity, draw: 0 }, "pausedbydependency", RANK.dependency), message };
  }
}

/** A span without length: nothing of its kind has changed since. */
function ended(at: number): StatusSpan {
  return statusSpan({ start: at, end: at, draw: 0 }, "pausedbydependency", RANK.dependency);
}
