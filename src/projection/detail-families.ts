import { TREE_FAMILIES } from "../mapping/metric-table.ts";
import type { Detail, DetailSubject } from "../model/detail.ts";
import type { Family } from "./family.ts";

/** All facts of a detail. */
export const DETAIL_FACT = 1;

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
    facts: DETAIL_FACT,
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
