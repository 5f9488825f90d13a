import type { Channel } from "./channel.ts";
import type { NodeState } from "./node-state.ts";

/** What a number is about. */
export type DetailSubject =
  | { readonly kind: "licenseUsed" | "licenseMax" | "licenseExpiry" | "autodiscoveries" }
  | { readonly kind: "probeConnected"; readonly node: NodeState }
  | { readonly kind: "primaryChannel"; readonly channel: Channel };

/** A number that is told seldom, of the server or of one of its objects. */
export interface Detail {
  /** Unique among the details of the server. */
  readonly row: number;
  readonly about: DetailSubject;
  readonly value: number;
  /** Monotonic ms. */
  readonly until: number;
}
