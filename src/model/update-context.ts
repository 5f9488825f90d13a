import type { TimeSlices } from "../lib/yielding.ts";
import type { ExpiryPolicy } from "./expiry-policy.ts";

/** Both clocks at one moment. The monotonic one never jumps. `server`: milliseconds since the epoch. */
export interface ClockReading {
  readonly monotonic: number;
  readonly server: number;
  /** The offset of the server's clock may have changed. */
  readonly isServerInDoubt: boolean;
}

export interface UpdateContext {
  readonly now: ClockReading;
  readonly expiry: ExpiryPolicy;
  readonly slices: TimeSlices;
}
