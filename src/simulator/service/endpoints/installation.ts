import type { Endpoint } from "../endpoint.ts";
import { API_KEYS } from "./api-keys.ts";
import { AUTODISCOVERY } from "./autodiscovery.ts";
import { DEVICE_CATALOG } from "./device-catalog.ts";
import { LIBRARIES_OF_OBJECTS } from "./libraries.ts";
import { LOOKUP_DEFINITIONS } from "./lookups.ts";
import { PASSWORDS } from "./passwords.ts";
import { SCHEMAS } from "./schemas.ts";
import { SETTING_LOOKUPS } from "./setting-lookups.ts";
import { SYSTEM } from "./system.ts";
import { USER_GROUPS } from "./user-groups.ts";
import { USERS } from "./users.ts";

/** What is not about the tree itself. */
export const INSTALLATION: readonly Endpoint[] = [
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
