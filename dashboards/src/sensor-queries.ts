import { DOWN_STATUSES } from "./statuses.ts";
import { SERVERS } from "./variables.ts";

/** What joins families about sensors with each other. */
export const SENSOR_KEY = "job, instance, server, sensor_id";
/** What joins families about channels with each other. */
export const CHANNEL_KEY = "job, instance, server, sensor_id, channel_id";

/** Codes of sensors that claim to measure: up, warning, unusual. */
const MEASURING = (sensors: string) =>
  `(prtg_sensor_status_code{${sensors}} == 3 or prtg_sensor_status_code{${sensors}} == 4 or prtg_sensor_status_code{${sensors}} == 10)`;

export const PAUSED = (sensors: string) =>
  `(prtg_sensor_status_code{${sensors}} >= 7 < 10 or prtg_sensor_status_code{${sensors}} >= 11 < 13)`;

const NAMES = "job, server, sensor_id, probe, group, device, sensor";

/**
 * Since when the chosen sensors have their status, in milliseconds, 0 where the server does not tell; the newest 500.
 * Instances that read the same server count once.
 */
export function sinceWhen(chosen: string, sensors: string): string {
  return `1000 * topk(500,
    max by (${NAMES}, priority, kind_name) (
      (
        prtg_sensor_status_since_timestamp_seconds{${sensors}} and on (${SENSOR_KEY}) ${chosen}
        or on (${SENSOR_KEY}) 0 * ${chosen}
      )
      * on (${SENSOR_KEY}) group_left (priority, kind_name) prtg_sensor_info{job=~"$job",server=~"$server"}
    )
  )`;
}

/** Devices whose sensors the table of outages stands for: those below a probe or group, and devices by themselves. */
const DEVICES_OF_OUTAGES = `(
  prtg_outage_device_info{${SERVERS},problem="down"}
  or label_replace(prtg_outage_affected_sensors{${SERVERS},kind="device",problem="down"}, "device_id", "$1", "id", "(.*)")
)`;

/**
 * The same for each status of sensors that are down outside of outages, with its place in `DOWN_STATUSES` from 1 on as the label
 * `severity`.
 */
export function downSince(sensors: string): string {
  return DOWN_STATUSES.map((status, index) => {
    const single = `(
      prtg_sensor_status{${sensors},status="${status}"} == 1
      and on (${SENSOR_KEY}) (prtg_sensor_info{${SERVERS}} unless on (job, server, device_id) ${DEVICES_OF_OUTAGES})
    )`;
    const since = sinceWhen(single, sensors);
    return `label_replace(${since}, "severity", "${index + 1}", "", "")`;
  }).join(" or ");
}

/**
 * The same series, with the address of each server's own web interface as the label `web_url`, for links. It is empty where an
 * exporter does not tell it, and no series is missing for that.
 */
export function withWeb(expr: string): string {
  return `(${expr}) * on (job, server) group_left (web_url) topk by (job, server) (1,
    prtg_exporter_server_web_info{${SERVERS}} or on (job, server) prtg_up{${SERVERS}} * 0 + 1
  )`;
}

/** Codes of the chosen sensors, with the same labels. */
export function codesOf(chosen: string): string {
  return `max by (${NAMES}, priority, kind_name) (
    ${chosen}
    * on (${SENSOR_KEY}) group_left (priority, kind_name) prtg_sensor_info{job=~"$job",server=~"$server"}
  )`;
}

/** How far the clocks of the chosen servers are ahead; 0 where that is not known. */
export const CLOCK_OFFSETS = `(
  prtg_exporter_server_clock_offset_seconds{job=~"$job",server=~"$server"} or 0 * prtg_up{job=~"$job",server=~"$server"}
)`;

/** Ages of the last measurements, by the clock of their server. */
export function measurementAges(sensors: string): string {
  return `time() - prtg_sensor_last_measurement_timestamp_seconds{${sensors}}
      + on (job, instance, server) group_left () ${CLOCK_OFFSETS}`;
}

/** Ages of last measurements that are older than three scanning intervals and five minutes, as the alert has it. */
export function staleAges(sensors: string): string {
  return `max by (${NAMES}) (
    (
      ${measurementAges(sensors)}
      > clamp_min(
        3 * (
          prtg_sensor_interval_seconds{${sensors}}
          or 0 * prtg_sensor_last_measurement_timestamp_seconds{${sensors}} + 60
        ),
        300
      )
    )
    and on (${SENSOR_KEY}) ${MEASURING(sensors)}
    and on (job, instance, server) prtg_up == 1
  )`;
}
