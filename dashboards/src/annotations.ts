import * as dashboard from "@grafana/grafana-foundation-sdk/dashboard";
import { oneLine } from "./panels.ts";
import { CLOCK_OFFSETS, SENSOR_KEY } from "./sensor-queries.ts";
import { DATA_SOURCE, LOGS, nameMatch, SERVERS } from "./variables.ts";

/** The least step of the queries: what happens twice to a sensor within it is one annotation. */
const STEP = "1m";
/** Seconds that may pass until a change is seen: a poll of the exporter, a scrape, and some more. */
const SEEN_WITHIN = 300;
/** Of each step of the query, so that a whole site that goes down does not stop the browser. */
const MAX_CHANGES = 100;

/** Statuses of events about sensors that went down. */
export const WENT_DOWN = "down|partialdown";

export interface StatusChanges {
  /** Matchers that choose sensors. */
  readonly sensors: string;
  /** Filters of LogQL that choose the same sensors. */
  readonly events: string;
  /** Whether changes are shown before the reader asks for them. */
  readonly isShown?: boolean;
}

/**
 * Status changes as annotations. Without anything but Prometheus: each at the time since when a sensor has its status, put into
 * the clock of the reader. With the exporter's events in Loki as well, with their messages, where the reader turns that on.
 */
export function statusChanges({ sensors, events, isShown = true }: StatusChanges) {
  return [
    fromMetrics("Down", "red", `${sensors},status=~"${WENT_DOWN}"`, sensors).enable(isShown),
    fromMetrics("Other statuses", "blue", `${sensors},status!~"${WENT_DOWN}"`, sensors).enable(isShown),
    fromLogs("Events (Loki)", events),
  ];
}

function fromMetrics(name: string, color: string, statuses: string, sensors: string) {
  // Each change is in the answers that come soon after it only, however long the range is.
  const changes = `1000 * topk(${MAX_CHANGES},
    max by (job, server, sensor_id, probe, device, sensor, status) (
      (
        prtg_sensor_status_since_timestamp_seconds{${sensors}}
        * on (${SENSOR_KEY}) group_left (status) (prtg_sensor_status{${statuses}} == 1)
        - on (job, instance, server) group_left () ${CLOCK_OFFSETS}
      )
      > time() - $__interval_ms / 1000 - ${SEEN_WITHIN}
    )
  )`;
  return new dashboard.AnnotationQueryBuilder()
    .name(name)
    .datasource(DATA_SOURCE)
    .iconColor(color)
    .expr(oneLine(changes))
    .step(STEP)
    .useValueForTime(true)
    .titleFormat("{{sensor}}: {{status}}")
    .textFormat("{{probe}} / {{device}} on {{server}}")
    .tagKeys("status,server");
}

function fromLogs(name: string, events: string) {
  return new dashboard.AnnotationQueryBuilder()
    .name(name)
    .datasource(LOGS)
    .iconColor("orange")
    .expr(statusEvents(events))
    .titleFormat("{{prtg_object_name}}: {{prtg_status_new}}")
    .tagKeys("prtg_status_new,prtg_server_name")
    .enable(false);
}

/** The exporter's events about statuses of sensors, in the names that Loki makes of their attributes. */
export function statusEvents(events: string): string {
  return `{service_name=~"$service"} | event_name="prtg.sensor.status_change" | ${events}`;
}

/** Filters of LogQL by variables of these names; attributes are called after them. */
export function chosenEvents(...variables: readonly string[]): string {
  return ["server", ...variables].map((name) => `prtg_${name}_name=~${nameMatch(name)}`).join(" | ");
}

/** Whether the exporter reached its servers: the time in between is a region. */
export function outages() {
  return new dashboard.AnnotationQueryBuilder()
    .name("Server out of reach")
    .datasource(DATA_SOURCE)
    .iconColor("red")
    .expr(`1 - max by (job, server) (prtg_up{${SERVERS}})`)
    .step(STEP)
    .titleFormat("{{server}} is out of reach")
    .tagKeys("server")
    .enable(true);
}
