import { statusFacts } from "../../../prtg/status.ts";
import { placeOfStatus } from "./status-order.ts";

/** Status of an object with all that is below it. */
export interface StatusSum<Status extends string = string> {
  readonly status: Status;
  /** Sensors below in this status. 0: the status is the object's own, or all sensors below are paused. */
  readonly affected: number;
  /** Sensors below that are not paused. */
  readonly sensors: number;
}

/**
 * The worst status of the sensors below an object. The own status counts only if it is paused or disconnected, or if no
 * sensor is below. `undefined` without any status.
 */
export function sumUp<Status extends string>(
  own: Status | null | undefined,
  below: Iterable<readonly [status: Status, count: number]>,
): StatusSum<Status> | undefined {
  let sensors = 0;
  let worst: readonly [status: Status, count: number] | undefined;
  let pause: Status | undefined;
  for (const [status, count] of below) {
    if (count === 0) continue;
    if (isPause(status)) {
      if (pause === undefined || placeOfStatus(status) < placeOfStatus(pause)) pause = status;
      continue;
    }
    sensors += count;
    if (worst === undefined || placeOfStatus(status) < placeOfStatus(worst[0])) worst = [status, count];
  }
  if (own && (isPause(own) || own === "disconnected")) return { status: own, affected: 0, sensors };
  if (worst !== undefined) return { status: worst[0], affected: worst[1], sensors };
  const status = pause ?? own ?? undefined;
  return status && { status, affected: 0, sensors };
}

function isPause(status: string): boolean {
  return statusFacts(status)?.group === "paused";
}
