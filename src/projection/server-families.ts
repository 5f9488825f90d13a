import { TREE_FAMILIES } from "../mapping/metric-table.ts";
import type { Count } from "../model/counts.ts";
import type { Detail, DetailSubject } from "../model/detail.ts";
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

export type DetailFamily = Family<Detail, undefined, "server" | "node" | "channel">;

function shown(
  kind: DetailSubject["kind"],
  family: DetailFamily["family"],
  labels: DetailFamily["labels"],
  scale = 1,
): DetailFamily {
  return {
    family,
    labels,
    facts: ANY_FACT,
    has: ({ about }) => about.kind === kind,
    value: ({ about, value }) => (about.kind === kind ? value / scale : undefined),
    until: ({ until }) => until,
  };
}

/** Each detail has a series in one of them. */
export const DETAIL_FAMILIES = {
  licenseUsed: shown("licenseUsed", TREE_FAMILIES.licenseUsed, "server"),
  licenseMax: shown("licenseMax", TREE_FAMILIES.licenseMax, "server"),
  // Milliseconds to seconds.
  licenseExpiry: shown("licenseExpiry", TREE_FAMILIES.licenseExpiry, "server", 1_000),
  autodiscoveries: shown("autodiscoveries", TREE_FAMILIES.autodiscoveries, "server"),
  probeConnected: shown("probeConnected", TREE_FAMILIES.probeConnected, "node"),
  channelPrimary: shown("primaryChannel", TREE_FAMILIES.channelPrimary, "channel"),
} as const satisfies Record<string, DetailFamily>;
