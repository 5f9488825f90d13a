import type { Endpoint } from "../endpoint.ts";
import { NODE_ACTIONS } from "./actions.ts";
import { CHANNEL_DATA } from "./channel-data.ts";
import { CLONES } from "./clone.ts";
import { CREATIONS } from "./create.ts";
import { DELETIONS } from "./delete.ts";
import { DEPRECATED_LISTS } from "./deprecated-lists.ts";
import { EDITS } from "./edit.ts";
import { HEALTH } from "./health.ts";
import { INSTALLATION } from "./installation.ts";
import { METASCAN } from "./metascan.ts";
import { MOVES } from "./move.ts";
import { OBJECT_COUNT } from "./object-count.ts";
import { OVERVIEWS } from "./overviews.ts";
import { PROBE_NETWORK_INFO } from "./probe-network-info.ts";
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
  ...OVERVIEWS,
  ...CHANNEL_DATA,
  ...PROBE_NETWORK_INFO,
  ...TIME_SERIES,
  ...NODE_ACTIONS,
  ...CREATIONS,
  ...EDITS,
  ...DELETIONS,
  ...MOVES,
  ...CLONES,
  ...METASCAN,
  ...INSTALLATION,
];
