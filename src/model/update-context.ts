import type { TimeSlices } from "../lib/yielding.ts";
import type { ExpiryPolicy } from "./expiry-policy.ts";

/** The clocks at one moment: ours, which never jumps, and the server's, in milliseconds since the epoch. */
export interface ClockReading {
  readonly monotonic: number;
  readonly server: number;
  /** It is not clear whether the server's clock is still the one that we know. */
  readonly isServerInDoubt: boolean;
}

/** When a change is made, and how long what it says holds. */
export interface UpdateContext {
  readonly now: ClockReading;
  readonly expiry: ExpiryPolicy;
  /** A change may be long: others get the event loop in between. */
  readonly slices: TimeSlices;
}
