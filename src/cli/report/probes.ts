/** Object whose id a request needs. */
export type NeededObject = "probe" | "group" | "device" | "sensor" | "channel";

export interface Probe {
  /** Template of the path below `/api/v2`. */
  readonly endpoint: string;
  /** Query without `?`. `{id}` as in the path. */
  readonly query: string;
  readonly needs?: NeededObject;
}

export const SAMPLE = 500;

const SAMPLED = `limit=${SAMPLE}`;
const KINDS = ["probe", "group", "device", "sensor"] as const;

function list(endpoint: string, ...parameters: string[]): Probe {
  return { endpoint, query: [SAMPLED, ...parameters].join("&") };
}

/** The first tests the connection, the second the key. */
export const PROBES: readonly Probe[] = [
  { endpoint: "/health", query: "" },
  { endpoint: "/version", query: "" },
  { endpoint: "/settings/public", query: "" },
  { endpoint: "/experimental/license", query: "" },
  { endpoint: "/objects/count", query: "" },
  { endpoint: "/sensor-status-summary", query: "" },
  ...KINDS.flatMap((kind) => [list(`/experimental/${kind}s`), list(`/${kind}s`)]),
  list("/experimental/channels"),
  list("/channels"),
  list("/experimental/objects"),
  list("/objects"),
  list("/lookup-definitions"),
  list("/autodiscoveries"),
  { endpoint: "/experimental/channels", query: "" },
  // Past the last record.
  list("/experimental/devices", "include=sensor_status_summary"),
  list("/experimental/sensors", "include=intervalgroup"),
  list("/experimental/devices", "include=scheduledependency"),
  list("/experimental/channels", "include=alerting"),
  list("/experimental/channels", "include=values"),
  list("/experimental/sensors", "include=path"),
  list("/experimental/sensors", "filter=status = up"),
  list("/experimental/sensors", "filter=status in [down, warning]"),
  list("/experimental/channels", "filter=primary = true"),
  { ...list("/experimental/sensors", 'filter=parentid in ["{id}"]'), needs: "device" },
  { ...list("/experimental/channels", 'filter=parentid in ["{id}"]'), needs: "sensor" },
  ...KINDS.map((kind): Probe => ({ endpoint: `/${kind}s/{id}`, query: "", needs: kind })),
  { endpoint: "/channels/{id}", query: "", needs: "channel" },
  { endpoint: "/sensors/{id}/data", query: "", needs: "sensor" },
  { endpoint: "/sensor-status-summary/{id}", query: "", needs: "device" },
  { endpoint: "/probes/{id}/info", query: "", needs: "probe" },
  ...["live", "short", "medium", "long"].map(
    (type): Probe => ({ endpoint: `/experimental/timeseries/{id}/${type}`, query: "", needs: "sensor" }),
  ),
];
