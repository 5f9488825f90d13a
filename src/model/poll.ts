import type { ListResult, NodeKind, NodeRecord } from "../prtg/records.ts";

/** What a poll brought; a list that was not polled, or failed, is left out. */
export type NodePoll = { readonly [Kind in NodeKind]?: ListResult<NodeRecord> | undefined };
