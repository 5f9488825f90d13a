import { currentOf, type DaySensor, PROBE, SITE, type Story } from "./scripted-day.ts";

const PROBE_ID = 1;
const SITE_ID = 2;
/** Ids of the groups below the site follow. */
const FIRST_GROUP_ID = 3;

interface Node {
  readonly id: number;
  readonly kind: "probe" | "group";
  readonly path: string;
  readonly sensors: readonly DaySensor[];
}

/**
 * The exporter's page about one server, as far as alerts need it. Finds outages like the exporter: they begin at 80 % of the
 * sensors that are not paused, and at least three, and end below 50 % or two.
 */
export class ScriptedPage {
  readonly #story: Story;
  readonly #nodes: readonly Node[];
  readonly #began = new Set<string>();

  constructor(story: Story) {
    this.#story = story;
    const groups = [...new Set(story.sensors.map(({ group }) => group))];
    const site = { id: SITE_ID, kind: "group" as const, path: `${PROBE}/${SITE}`, sensors: story.sensors };
    // A second site that is well, so that the probe is not the site.
    const isWhole = story.probe.length > 1;
    this.#nodes = [
      ...(isWhole ? [{ id: PROBE_ID, kind: "probe" as const, path: PROBE, sensors: story.sensors }] : []),
      site,
      ...groups.map((group, at) => ({
        id: FIRST_GROUP_ID + at,
        kind: "group" as const,
        path: `${site.path}/${group}`,
        sensors: story.sensors.filter((sensor) => sensor.group === group),
      })),
    ];
  }

  /** @param timeOf Unix seconds of a minute */
  lines(minute: number, timeOf: (minute: number) => number): string[] {
    const { server, sensors, probe, up } = this.#story;
    const lines: string[] = [];
    const sample = (name: string, labels: Record<string, string | number>, value: number) => {
      const text = Object.entries({ server, ...labels }).map(([label, content]) => `${label}="${content}"`);
      lines.push(`${name}{${text.join()}} ${value}`);
    };
    sample("prtg_up", {}, currentOf(up, minute)?.value ?? 0);
    const probeCode = currentOf(probe, minute)?.code;
    if (probeCode !== undefined)
      sample("prtg_node_status_code", { id: PROBE_ID, kind: "probe", path: PROBE }, probeCode);
    const devices = new Map(sensors.map((sensor) => [sensor.device, sensor]));
    for (const [device, sensor] of devices) {
      const path = devicePath(sensor);
      sample("prtg_device_info", { device_id: device, device: `device ${device}`, host: "", kind: "device", path }, 1);
    }
    for (const sensor of sensors) {
      const { id, device, group, changes } = sensor;
      const change = currentOf(changes, minute);
      if (change?.code === undefined) continue;
      const path = `${devicePath(sensor)}/Sensor ${id}`;
      const names = { sensor_id: id, probe: PROBE, group, device: `device ${device}`, sensor: `Sensor ${id}`, path };
      sample("prtg_sensor_status_code", names, change.code);
      sample("prtg_sensor_status_since_timestamp_seconds", names, timeOf(change.minute));
      sample("prtg_sensor_info", { sensor_id: id, device_id: device, kind: "ping", priority: 3 }, 1);
    }
    for (const problem of ["down", "unknown"] as const) this.#outages(problem, minute, timeOf, sample);
    return lines;
  }

  #outages(
    problem: "down" | "unknown",
    minute: number,
    timeOf: (minute: number) => number,
    sample: (name: string, labels: Record<string, string | number>, value: number) => void,
  ): void {
    const told = new Set<DaySensor>();
    for (const { id, kind, path, sensors } of this.#nodes) {
      const known = sensors.filter(({ changes }) => ![7, undefined].includes(currentOf(changes, minute)?.code));
      const affected = known.filter(({ changes }) => currentOf(changes, minute)?.code === (problem === "down" ? 5 : 1));
      const key = `${id} ${problem}`;
      const [share, least] = this.#began.has(key) ? [0.5, 2] : [0.8, 3];
      if (affected.length < least || affected.length < share * known.length) {
        this.#began.delete(key);
        continue;
      }
      this.#began.add(key);
      // The highest object has the outage.
      if (affected.every((sensor) => told.has(sensor))) continue;
      for (const sensor of affected) told.add(sensor);
      const labels = { id, kind, path, problem };
      sample("prtg_outage_affected_sensors", labels, affected.length);
      sample("prtg_outage_sensors", labels, known.length);
      sample("prtg_outage_acknowledged_sensors", labels, 0);
      const since = affected.map(({ changes }) => currentOf(changes, minute)?.minute ?? minute);
      sample("prtg_outage_start_timestamp_seconds", labels, timeOf(Math.min(...since)));
      for (const device of new Set(affected.map((sensor) => sensor.device))) {
        sample("prtg_outage_device_info", { device_id: device, outage_id: id, problem }, 1);
      }
    }
  }
}

function devicePath({ group, device }: DaySensor): string {
  return `${PROBE}/${SITE}/${group}/device ${device}`;
}
