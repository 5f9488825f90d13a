import type { Count } from "../../model/counts.ts";
import type { Outage, OutageDevice } from "../../model/outages.ts";
import type { Detail, DetailSubject, KnownVersion } from "../../model/state-observer.ts";
import type { Family, LabelSet } from "./family.ts";
import { CHANNEL_ID_LABELS, DEVICE_ID_LABELS, NO_LABELS, NODE_LABELS } from "./labels.ts";

/** Counts, versions and details change as a whole. */
export const ANY_FACT = 1;

export const VERSION_FAMILIES = {
  serverInfo: {
    name: "prtg_server_info",
    help: "Always 1. Version of the monitoring server (GET /version).",
    labels: NO_LABELS,
    lastLabel: { name: "version", textOf: ({ version }) => version },
    facts: ANY_FACT,
    value: () => 1,
    expiresAt: ({ expiresAt }) => expiresAt,
  },
} as const satisfies Record<string, Family<KnownVersion>>;

export const COUNT_FAMILIES = {
  sensors: {
    name: "prtg_sensors",
    help: "Sensors per status (GET /sensor-status-summary).",
    labels: NO_LABELS,
    lastLabel: { name: "status", textOf: ({ name }) => name },
    facts: ANY_FACT,
    value: ({ count }) => count,
    expiresAt: ({ expiresAt }) => expiresAt,
  },
  objects: {
    name: "prtg_objects",
    help: "Objects per kind (GET /objects/count).",
    labels: NO_LABELS,
    lastLabel: { name: "kind", textOf: ({ name }) => name },
    facts: ANY_FACT,
    value: ({ count }) => count,
    expiresAt: ({ expiresAt }) => expiresAt,
  },
} as const satisfies Record<string, Family<Count>>;

const OUTAGE = {
  stability: "experimental",
  labels: NODE_LABELS,
  lastLabel: { name: "problem", textOf: ({ problem }) => problem },
  facts: ANY_FACT,
  expiresAt: ({ expiresAt }) => expiresAt,
} as const satisfies Omit<Family<Outage>, "name" | "help" | "value">;

/** The exporter finds outages in the statuses of sensors. */
export const OUTAGE_FAMILIES = {
  outageAffected: {
    ...OUTAGE,
    name: "prtg_outage_affected_sensors",
    help: "Sensors with the problem (down, also partially or acknowledged, or unknown) below the highest object where at least 80 % of the sensors that are not paused have it.",
    value: ({ below, problem }) => below[problem],
  },
  outageSensors: {
    ...OUTAGE,
    name: "prtg_outage_sensors",
    help: "Sensors below the object of an outage that are not paused.",
    value: ({ below }) => below.sensors,
  },
  outageAcknowledged: {
    ...OUTAGE,
    name: "prtg_outage_acknowledged_sensors",
    help: "Acknowledged sensors of an outage.",
    value: ({ below, problem }) => (problem === "down" ? below.acknowledged : 0),
  },
  outageStart: {
    ...OUTAGE,
    name: "prtg_outage_start_timestamp_seconds",
    help: "Unix time at which the first sensor of an outage got its status (status_since).",
    value: ({ since }) => (since === undefined ? undefined : since / 1_000),
  },
} as const satisfies Record<string, Family<Outage>>;

/** Of the devices in outages of probes and groups. */
export const OUTAGE_DEVICE_FAMILIES = {
  outageDevice: {
    name: "prtg_outage_device_info",
    help: "Always 1. A device with affected sensors, and the probe or group whose outage it belongs to.",
    stability: "experimental",
    labels: {
      values: { ...DEVICE_ID_LABELS.values, outage_id: ({ outageId }) => outageId },
    },
    lastLabel: { name: "problem", textOf: ({ problem }) => problem },
    facts: ANY_FACT,
    value: () => 1,
    expiresAt: ({ expiresAt }) => expiresAt,
  },
} as const satisfies Record<string, Family<OutageDevice>>;

/** Read by the collector `details`, which is off by default. A detail has one series, in the family of its kind. */
export const DETAIL_FAMILIES = {
  channelPrimary: {
    name: "prtg_channel_primary",
    help: "1 for the primary channel of the sensor (GET /experimental/channels, filter primary = true). Only with the collector details.",
    ...detailOf("primaryChannel"),
    labels: labelsOf(CHANNEL_ID_LABELS, ({ about }) => (about.kind === "primaryChannel" ? about.channel : undefined)),
  },
  licenseUsed: {
    name: "prtg_license_sensors_used",
    help: "Sensors that count against the license (GET /experimental/license). Only with the collector details, if the server sends it.",
    ...detailOf("licenseUsed"),
    labels: NO_LABELS,
  },
  licenseMax: {
    name: "prtg_license_sensors_max",
    help: "Sensors that the license allows (GET /experimental/license). Absent without a limit. Only with the collector details.",
    ...detailOf("licenseMax"),
    labels: NO_LABELS,
  },
  licenseExpiry: {
    name: "prtg_license_expiry_timestamp_seconds",
    help: "Unix time at which the license ends (GET /experimental/license). Only with the collector details, if the server sends it.",
    ...detailOf("licenseExpiry"),
    labels: NO_LABELS,
    // From milliseconds.
    value: ({ value }) => value / 1_000,
  },
  autodiscoveries: {
    name: "prtg_autodiscoveries_running",
    help: "Running auto-discoveries (GET /autodiscoveries). Only with the collector details.",
    ...detailOf("autodiscoveries"),
    labels: NO_LABELS,
  },
  probeConnected: {
    name: "prtg_probe_connected",
    help: "1 if the core is connected to the probe, else 0 (GET /probes/{id}/info). Only with the collector details, if the server sends it.",
    ...detailOf("probeConnected"),
    labels: labelsOf(NODE_LABELS, ({ about }) => (about.kind === "probeConnected" ? about.node : undefined)),
  },
} as const satisfies Record<string, Family<Detail>>;

function detailOf(kind: DetailSubject["kind"]): Omit<Family<Detail>, "name" | "help" | "labels"> {
  return {
    stability: "experimental",
    facts: ANY_FACT,
    has: ({ about }) => about.kind === kind,
    value: ({ value }) => value,
    expiresAt: ({ expiresAt }) => expiresAt,
  };
}

/** The labels of the object that a detail is about. */
function labelsOf<Item>({ values }: LabelSet<Item>, itemOf: (detail: Detail) => Item | undefined): LabelSet<Detail> {
  const entries = Object.entries(values).map(([name, value]) => {
    const textOf = (detail: Detail) => {
      const item = itemOf(detail);
      return item === undefined ? "" : value(item);
    };
    return [name, textOf] as const;
  });
  return { values: Object.fromEntries(entries) };
}
