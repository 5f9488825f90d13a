import type { Channel } from "./channel.ts";
import type { NodeState } from "./node-state.ts";

export type DetailSubject =
  | { readonly kind: "licenseUsed" | "licenseMax" | "licenseExpiry" | "autodiscoveries" }
  | { readonly kind: "probeConnected"; readonly node: NodeState }
  | { readonly kind: "primaryChannel"; readonly channel: Channel };

/** A number that the collector `details` reads. */
export interface Detail {
  readonly row: number;
  readonly about: DetailSubject;
  readonly value: number;
  readonly expiresAt: number;
}
