import type { Clock } from "../../src/lib/clock.ts";
import { TimeSlices } from "../../src/lib/yielding.ts";
import type { UpdateContext } from "../../src/model/update-context.ts";

const EXPIRY_MS = 10 * 60_000;

/** All facts expire after ten minutes. */
export function contextAt(clock: Clock, isServerInDoubt = false): UpdateContext {
  const until = () => clock.monotonic() + EXPIRY_MS;
  return {
    now: { monotonic: clock.monotonic(), server: clock.now(), isServerInDoubt },
    expiry: { state: until, property: until, channel: until, limit: until, version: until, detail: until },
    slices: new TimeSlices(clock),
  };
}
