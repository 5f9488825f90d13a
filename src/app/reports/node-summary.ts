import type { NodeSummary } from "../../http/pages/status/report.ts";
import type { Outline } from "../../model/outline.ts";
import { ROOT_ID, type TreeNode } from "../../model/tree.ts";
import type { SensorInspection } from "../../projection/inspection.ts";
import { acknowledgedTimes } from "./acknowledgement.ts";
import { instantOrNull } from "./report-values.ts";
import type { StatusSources } from "./sources.ts";

export type Monitor = NonNullable<ReturnType<StatusSources["monitors"]["get"]>>;

export interface ServerTree {
  readonly server: string;
  readonly monitor: Monitor;
}

export interface ServerOutline extends ServerTree {
  /** URL of the PRTG web interface, `servers[].web_url`. */
  readonly webUrl: string | undefined;
  readonly outline: Outline;
  /** Monotonic ms. */
  readonly now: number;
}

export type OutlineOf = (monitor: Monitor) => Promise<Outline>;

/** Nothing is below a sensor. */
export const NOTHING_BELOW: Outline = { children: () => [], sensorsBelow: () => new Map() };

export function placeOf(
  { config, clock }: Pick<StatusSources, "config" | "clock">,
  { server, monitor }: ServerTree,
  outline: Outline,
): ServerOutline {
  const webUrl = config.servers.find(({ name }) => name === server)?.webUrl;
  return { server, monitor, webUrl, outline, now: clock.monotonic() };
}

const NOT_A_SENSOR = {
  device: null,
  priority: null,
  status: null,
  status_since: null,
  last_measurement_at: null,
  message: null,
  acknowledgement: null,
  channel: null,
};

export function rootSummary({ server, outline }: ServerOutline): NodeSummary {
  return {
    ...NOT_A_SENSOR,
    server,
    id: ROOT_ID,
    kind: "root",
    name: server,
    path: "",
    children: outline.children(ROOT_ID).length,
    sensors_by_status: Object.fromEntries(outline.sensorsBelow(ROOT_ID)),
    prtg_url: null,
  };
}

export function nodeSummary({ server, webUrl, monitor, outline, now }: ServerOutline, node: TreeNode): NodeSummary {
  const { id, kind, name, path, priority } = node;
  const { state } = monitor.view;
  const inspection = kind === "sensor" ? monitor.view.inspect(id, "main", now) : undefined;
  return {
    ...NOT_A_SENSOR,
    server,
    id,
    kind,
    name,
    path,
    priority: priority ?? null,
    status: state.statusOf(node) ?? null,
    status_since: instantOrNull(state.node(id)?.statusSinceAt(now)),
    children: inspection?.channelCount ?? outline.children(id).length,
    ...(inspection && sensorParts(inspection)),
    sensors_by_status: Object.fromEntries(outline.sensorsBelow(id)),
    prtg_url: prtgUrl(webUrl, node),
  };
}

function sensorParts(inspection: SensorInspection) {
  const { sensor, status, lastMeasuredAt, message } = inspection;
  const [main] = inspection.channels;
  const { deviceId, device } = sensor;
  return {
    device: deviceId === "" ? null : { id: deviceId, name: device },
    last_measurement_at: instantOrNull(lastMeasuredAt),
    message: message ?? null,
    acknowledgement: status === "acknowledged" ? acknowledgementOf(inspection) : null,
    channel:
      main === undefined
        ? null
        : { channel_id: main.channelId, name: main.name, unit: main.unit, value: main.value ?? null },
  };
}

function acknowledgementOf(inspection: SensorInspection) {
  const { sensor, message, downBefore } = inspection;
  const { downSince, acknowledgedAt } = acknowledgedTimes({ ...inspection, intervalSeconds: sensor.intervalSeconds });
  const before = downBefore?.message;
  return {
    down_since: instantOrNull(downSince),
    acknowledged_at: instantOrNull(acknowledgedAt),
    message_before: before !== undefined && before !== message ? before : null,
  };
}

/** Pages of the PRTG web interface. The dashboards link to the same ones (dashboards/src/links.ts). */
const PAGES: Readonly<Record<TreeNode["kind"], string>> = {
  sensor: "sensor.htm",
  device: "device.htm",
  group: "group.htm",
  probe: "probenode.htm",
};

/** @param webUrl `servers[].web_url`. */
export function prtgUrl(webUrl: string | undefined, { kind, id }: Pick<TreeNode, "kind" | "id">): string | null {
  return webUrl === undefined ? null : `${webUrl}/${PAGES[kind]}?${new URLSearchParams({ id })}`;
}
