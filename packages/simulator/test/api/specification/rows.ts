import { OPERATIONS } from "./document.ts";
import type { Row } from "./row.ts";
import { ACCOUNTS, PASSWORDS } from "./rows/accounts.ts";
import { ACTION_LEVELS, ACTIONS, MULTI_ACTIONS } from "./rows/actions.ts";
import { API_KEYS } from "./rows/api-keys.ts";
import { AUTHENTICATION } from "./rows/authentication.ts";
import { AUTODISCOVERY } from "./rows/autodiscovery.ts";
import { CREATION, DELETION, EDITING } from "./rows/changes.ts";
import { ERRORS } from "./rows/errors.ts";
import { FILTERS } from "./rows/filters.ts";
import { type Example, genericRows } from "./rows/generic.ts";
import { INCLUDES } from "./rows/includes.ts";
import { LARGE_LISTS, listRows } from "./rows/lists.ts";
import { LIVE } from "./rows/live.ts";
import { MEASUREMENTS } from "./rows/measurements.ts";
import { OBJECTS } from "./rows/objects.ts";
import { CLONING, MOVING } from "./rows/places.ts";
import { SCHEMAS } from "./rows/schemas.ts";
import { SPELLINGS } from "./rows/spellings.ts";
import { SYSTEM } from "./rows/system.ts";

const WRITTEN: Readonly<Record<string, readonly Row[]>> = {
  authentication: AUTHENTICATION,
  system: SYSTEM,
  schemas: SCHEMAS,
  objects: OBJECTS,
  includes: INCLUDES,
  filters: FILTERS,
  actions: ACTIONS,
  "multi-object actions": MULTI_ACTIONS,
  "access levels of actions": ACTION_LEVELS,
  creation: CREATION,
  editing: EDITING,
  deletion: DELETION,
  moving: MOVING,
  cloning: CLONING,
  measurements: MEASUREMENTS,
  accounts: ACCOUNTS,
  "API keys": API_KEYS,
  passwords: PASSWORDS,
  "auto-discovery": AUTODISCOVERY,
  errors: ERRORS,
  "large lists": LARGE_LISTS,
  "live servers": LIVE,
  spellings: SPELLINGS,
};

const written = Object.values(WRITTEN).flat();

/** Operations that some row shows to succeed, with that request. */
const EXAMPLES: readonly Example[] = OPERATIONS.flatMap((operation) => {
  const success = written.find(
    (row) => row.operation === operation.id && typeof row.answers === "number" && typeof row.path === "string",
  );
  return typeof success?.path === "string"
    ? [{ operation, path: success.path, body: success.body, spelling: success.spelling ?? "specification" }]
    : [];
});

export const TABLES: Readonly<Record<string, readonly Row[]>> = {
  ...WRITTEN,
  lists: EXAMPLES.flatMap((example) => listRows(example).map((row) => ({ ...row, spelling: example.spelling }))),
  "every operation": EXAMPLES.flatMap(genericRows),
};

export const ROWS: readonly Row[] = Object.values(TABLES).flat();
