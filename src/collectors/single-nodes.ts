import { mapEntry } from "../lib/map-entry.ts";
import type { NodePoll } from "../model/tree.ts";
import { NODE_KINDS } from "../model/tree.ts";
import type { ApiError } from "../prtg/api-error.ts";
import type { NodeListOptions } from "../prtg/monitoring-api.ts";
import type { NodeKind, NodeRecord } from "../prtg/records.ts";
import type { CollectorName } from "./collector.ts";
import type { KnownObjects } from "./known-objects.ts";
import type { KnownObject } from "./one-by-one.ts";
import type { OneByOneWork } from "./one-by-one-work.ts";
import type { ServerReader } from "./server-reader.ts";
import type { StateWriter } from "./state-writer.ts";

export interface SingleNodesOptions {
  readonly collector: CollectorName;
  readonly reader: ServerReader;
  readonly writer: StateWriter;
  readonly work: OneByOneWork;
  readonly known: KnownObjects;
  readonly optionsFor: (kind: NodeKind) => NodeListOptions;
}

/** What was read of nodes whose lists are missing. */
export interface SingleNodesPoll {
  readonly nodes: NodePoll;
  /** Objects that are not there any more. */
  readonly gone: ReadonlySet<string>;
  /** Sensors cannot be read this way either. */
  readonly failure: ApiError | undefined;
}

const NONE: SingleNodesPoll = { nodes: {}, gone: new Set(), failure: undefined };

/** The sensors, devices, groups and probes that are known, of a server that lacks lists of them. */
export class SingleNodes {
  readonly #options: SingleNodesOptions;

  constructor(options: SingleNodesOptions) {
    this.#options = options;
  }

  /** Objects of this kind are known. */
  areKnown(kind: NodeKind): Promise<boolean> {
    return this.#options.known.has(kind);
  }

  /** These lists are there. */
  listed(poll: NodePoll): void {
    this.#options.known.listed(poll);
  }

  /** As many of these kinds as there is room for until the next run, those that were read longest ago. `missing`: their lists. */
  async read(missing: ReadonlyMap<NodeKind, ApiError>, signal: AbortSignal): Promise<SingleNodesPoll> {
    const { collector, reader, writer, work, known: objects, optionsFor } = this.#options;
    if (missing.size === 0) {
      if (reader.oneByOne.nodes.roundMs !== undefined) work.over(collector, reader.oneByOne.nodes);
      return NONE;
    }
    const known = [...objects.of(new Set(missing.keys()))];
    const begins = reader.oneByOne.nodes.roundMs === undefined;
    work.begin(collector, reader.oneByOne.nodes, known.length);
    if (begins) await writer.prolongNodes(new Set(missing.keys()));
    const items = new Map<NodeKind, NodeRecord[]>();
    const read = async ({ id, kind }: KnownObject<NodeKind>) => {
      const node = await reader.api.node(kind, id, optionsFor(kind), signal);
      mapEntry(items, kind, () => []).push(node);
    };
    const what = [...missing.keys()].map((kind) => `${kind}s`).join(", ");
    const report = await work.run({ collector, oneByOne: reader.oneByOne.nodes, what, known, read }, signal);
    objects.gone(report.gone);
    const nodes = Object.fromEntries(
      NODE_KINDS.flatMap((kind) => {
        const found = items.get(kind);
        return found === undefined ? [] : [[kind, { items: found, complete: false, skipped: 0 }] as const];
      }),
    );
    const failure = report.missing.has("sensor") ? missing.get("sensor") : undefined;
    return { nodes, gone: report.gone, failure };
  }
}
