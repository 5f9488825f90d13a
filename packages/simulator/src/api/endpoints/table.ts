import type { Endpoint } from "../endpoint.ts";
import { API_KEYS } from "./accounts/api-keys.ts";
import { PASSWORDS } from "./accounts/passwords.ts";
import { SESSION } from "./accounts/session.ts";
import { USER_GROUPS } from "./accounts/user-groups.ts";
import { USERS } from "./accounts/users.ts";
import { AUTODISCOVERY } from "./autodiscovery.ts";
import { DEVICE_CATALOG, LIBRARIES_OF_OBJECTS, LOOKUP_DEFINITIONS } from "./catalog.ts";
import { NODE_ACTIONS } from "./objects/actions.ts";
import { CHANNEL_DATA } from "./objects/channel-data.ts";
import { CLONES, DELETIONS } from "./objects/clone-and-delete.ts";
import { OBJECT_COUNT, SUMMARIES } from "./objects/counts.ts";
import { CREATIONS } from "./objects/create.ts";
import { EDITS } from "./objects/edit.ts";
import { DEPRECATED_LISTS, OVERVIEWS } from "./objects/info-records.ts";
import { METASCAN } from "./objects/metascan.ts";
import { MOVES } from "./objects/move.ts";
import { PROBE_NETWORK_INFO } from "./objects/probe-network-info.ts";
import { SCHEMAS } from "./objects/schemas.ts";
import { SETTING_LOOKUPS } from "./objects/setting-lookups.ts";
import { TIME_SERIES } from "./objects/time-series.ts";
import { TREE_NODES } from "./objects/tree-nodes.ts";
import { HEALTH, SYSTEM, VERSION } from "./system.ts";

/** All endpoints of the service. */
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
  // What is not about the tree itself.
  ...SYSTEM,
  ...SCHEMAS,
  ...USERS,
  ...USER_GROUPS,
  ...API_KEYS,
  ...PASSWORDS,
  ...LIBRARIES_OF_OBJECTS,
  ...LOOKUP_DEFINITIONS,
  ...SETTING_LOOKUPS,
  ...AUTODISCOVERY,
  ...DEVICE_CATALOG,
];
