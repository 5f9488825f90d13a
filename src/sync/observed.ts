import type { StatusToken } from "../prtg/status.ts";
import type { Alert, Silence } from "./alertmanager.ts";
import type { Matcher } from "./matchers.ts";

/* What a round knows, and its limits. */

/** A sensor as the last poll of statuses saw it. */
export interface SyncSensor {
  readonly id: string;
  readonly path: string;
  readonly status: StatusToken | undefined;
  readonly message: string | undefined;
}

/** A probe, group or device that is paused itself, and not through a parent. */
export interface PausedObject {
  readonly id: string;
  readonly path: string;
  readonly message: string | undefined;
  readonly sensors: number;
  /** For each list of the configuration, the matchers of its silence. `undefined`: none, for instance without a host. */
  readonly matchers: readonly (readonly Matcher[] | undefined)[];
}

/** One PRTG server, with the objects that the configuration selects. */
export interface ServerSide {
  /** The poll of the statuses began at this time, milliseconds since the epoch. */
  readonly statusAt: number;
  sensors(): Iterable<SyncSensor>;
  sensor(id: string): SyncSensor | undefined;
  /** The object itself if it is a sensor. */
  sensorsBelow(id: string): Iterable<string>;
  /** Labels of its alerts, as far as the tree has them. */
  labelsOf(sensorId: string): ReadonlyMap<string, string> | undefined;
  pausedObjects(): Iterable<PausedObject>;
  /** With its own key, so that it can be changed. */
  readonly isChangeable: boolean;
}

/** An acknowledgement that was sent or is about to be sent. Times in milliseconds since the epoch. */
export interface Acknowledged {
  readonly silence: string;
  readonly sentAt: number;
  readonly until: number;
  /** Labels of the alert that the silence covered. PRTG's acknowledgement may have ended the alert. */
  readonly labels: Readonly<Record<string, string>>;
}

export interface Observed {
  readonly now: number;
  readonly silences: readonly Silence[];
  readonly alerts: readonly Alert[];
  /** By name. Servers that could not be read lately are missing: nothing changes for them. */
  readonly servers: ReadonlyMap<string, ServerSide>;
  /** By `sensorKey`. */
  readonly acknowledged: ReadonlyMap<string, Acknowledged>;
  /** `acknowledged` lacks none since this time, milliseconds since the epoch. Other processes may have sent earlier ones. */
  readonly knowsSince: number;
}

export interface SyncRules {
  readonly spanMs: number;
  readonly maxSensors: number;
  readonly acknowledge: boolean;
  readonly silenceAcknowledged: boolean;
  readonly silencePaused: boolean;
}
