import type { ErrorCode } from "../errors/catalogue.ts";
import { ExporterError } from "../errors/exporter-error.ts";
import type { NodeKind } from "../prtg/records.ts";

/** Something that is read of a server. */
interface Reading {
  /** After these failures the collector goes on without it; `any` is all of them. */
  readonly goesOnAfter: readonly ErrorCode[] | "any";
  /** What is so without it. */
  readonly without: string;
}

/**
 * What the collectors read of a server, and what comes of a failure. They and the command `check` go by this one table, so that
 * `check` finds what `serve` will meet.
 */
export const READINGS = {
  version: { goesOnAfter: "any", without: "prtg_server_info is not shown" },
  statusSummary: {
    goesOnAfter: ["API_NOT_FOUND", "API_FORBIDDEN"],
    without: "statuses are counted from the sensor list",
  },
  objectCounts: { goesOnAfter: ["API_NOT_FOUND", "API_FORBIDDEN"], without: "objects are counted from the lists" },
  sensor: { goesOnAfter: [], without: "nothing is shown" },
  device: { goesOnAfter: ["API_ENDPOINT_MISSING"], without: "the tree is shown without devices" },
  group: { goesOnAfter: ["API_ENDPOINT_MISSING"], without: "the tree is shown without groups" },
  probe: { goesOnAfter: ["API_ENDPOINT_MISSING"], without: "the tree is shown without probes" },
  channels: { goesOnAfter: [], without: "no values are shown" },
  details: { goesOnAfter: "any", without: "license, probes, auto-discoveries and primary channels are not shown" },
  lookups: { goesOnAfter: "any", without: "states of channels are not shown" },
} as const satisfies Record<NodeKind, Reading> & Record<string, Reading>;

export type ReadingName = keyof typeof READINGS;

/** Whether a collector goes on without this reading after this failure. */
export function goesOnWithout(reading: ReadingName, error: unknown): boolean {
  const { goesOnAfter }: Reading = READINGS[reading];
  return goesOnAfter === "any" || (error instanceof ExporterError && goesOnAfter.includes(error.code));
}

/** What a list lacks whose server refuses to include a section. */
export const WITHOUT_SECTION: Readonly<Record<string, string>> = {
  intervalgroup: "prtg_sensor_interval_seconds is not shown",
  sensor_status_summary: "prtg_node_sensors is not shown",
  // How the deprecated lists are asked for the same.
  true: "prtg_node_sensors is not shown",
  alerting: "limits are not shown",
  values: "states of channels are not shown",
};
