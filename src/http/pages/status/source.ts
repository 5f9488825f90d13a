import type { NodeReport, SearchReport, StatusReport } from "./report.ts";

export interface NodeQuestion {
  /** Undefined: of whichever server has it. */
  readonly server: string | undefined;
  /** `0` is the root. */
  readonly id: string;
  /** Position of the first child to show. */
  readonly from: number;
}

export interface SearchQuestion {
  /** Words that must all occur in path, id, host or tags; empty for every object. */
  readonly text: string;
  /** Undefined: all servers. */
  readonly server: string | undefined;
  /** Undefined: any. Otherwise sensors of that status only. */
  readonly status: string | undefined;
}

/**
 * Where the pages get their facts: memory only, redacted, never the monitoring server. `gone` ends the work for a reader
 * that has gone: the promise rejects with its reason.
 */
export interface StatusSource {
  status(gone?: AbortSignal): Promise<StatusReport>;
  /** Undefined when there is no such object. */
  node(question: NodeQuestion, gone?: AbortSignal): Promise<NodeReport | undefined>;
  search(question: SearchQuestion, gone?: AbortSignal): Promise<SearchReport>;
}
