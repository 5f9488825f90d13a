import type { Endpoint } from "../endpoint.ts";
import { DEPRECATED_LISTS } from "./deprecated-lists.ts";
import { HEALTH } from "./health.ts";
import { OBJECT_COUNT } from "./object-count.ts";
import { SESSION } from "./session.ts";
import { SUMMARIES } from "./summaries.ts";
import { TIME_SERIES } from "./time-series.ts";
import { TREE_NODES } from "./tree-nodes.ts";
import { VERSION } from "./version.ts";

/** Everything that the service answers. */
export const ENDPOINTS: readonly Endpoint[] = [
  ...HEALTH,
  ...VERSION,
  ...SESSION,
  ...SUMMARIES,
  ...OBJECT_COUNT,
  ...TREE_NODES,
  ...DEPRECATED_LISTS,
  ...TIME_SERIES,
];
