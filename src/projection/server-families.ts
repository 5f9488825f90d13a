import { TREE_FAMILIES } from "../mapping/metric-table.ts";
import type { Count } from "../model/counts.ts";
import type { KnownVersion } from "../model/state-observer.ts";
import type { Family } from "./family.ts";

/** All facts of what is told as a whole. */
export const ANY_FACT = 1;

type CountFamily = Family<Count, undefined, "server">;

export const COUNT_FAMILIES = {
  sensors: {
    family: TREE_FAMILIES.sensors,
    labels: "server",
    facts: ANY_FACT,
    own: ({ name }) => name,
    value: ({ count }) => count,
    until: ({ until }) => until,
  },
  objects: {
    family: TREE_FAMILIES.objects,
    labels: "server",
    facts: ANY_FACT,
    own: ({ name }) => name.toWellFormed(),
    value: ({ count }) => count,
    until: ({ until }) => until,
  },
} as const satisfies Record<string, CountFamily>;

export const VERSION_FAMILIES = {
  serverInfo: {
    family: TREE_FAMILIES.serverInfo,
    labels: "server",
    facts: ANY_FACT,
    own: ({ version }) => version.toWellFormed(),
    value: () => 1,
    until: ({ until }) => until,
  },
} as const satisfies Record<string, Family<KnownVersion, undefined, "server">>;
