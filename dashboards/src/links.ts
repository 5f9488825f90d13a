import type { DynamicConfigValue } from "@grafana/grafana-foundation-sdk/dashboard";
import * as dashboard from "@grafana/grafana-foundation-sdk/dashboard";

import type { Column } from "./table.ts";

export const TAG = "prtg";

/** Pages of the classic web interface, each with the id of its object. */
export const PAGES = {
  sensor: "sensor.htm",
  device: "device.htm",
  group: "group.htm",
  probe: "probenode.htm",
} as const;

/** Title of the column that holds the id: links of other cells take it from there. */
export const ID = "ID";
const WEB = "Web";
const OPEN = "Open in PRTG";

/** Carries the address of the server's own web interface to the links of its row, unseen. See `withWeb`. */
export const WEB_COLUMN: Column = {
  from: "web_url",
  title: WEB,
  // Grafana's name for it until 12.1, and since.
  properties: [
    { id: "custom.hidden", value: true },
    { id: "custom.hideFrom.viz", value: true },
  ],
};

const PAGE = "Page";

/** Carries the name of the page in the web interface, unseen. */
export const PAGE_COLUMN: Column = {
  from: "page",
  title: PAGE,
  ...(WEB_COLUMN.properties && { properties: WEB_COLUMN.properties }),
};

/** The page of an object in the web interface as the label `page`, by the label `kind`. */
export function withPage(expr: string): string {
  return (["device", "group", "probe"] as const).reduce(
    (inner, kind) => `label_replace(${inner}, "page", "${PAGES[kind]}", "kind", "${kind}")`,
    expr,
  );
}

/** Shows the same address as a link to the server. */
export const WEB_LINK_COLUMN: Column = {
  ...{ from: WEB_COLUMN.from, title: "PRTG" },
  properties: [{ id: "links", value: [{ title: OPEN, url: "${__data.fields.PRTG:raw}", targetBlank: true }] }],
};

/** Makes a cell a link to the object whose id stands in the row, in the service's own web interface. */
export function linkTo(kind: keyof typeof PAGES): DynamicConfigValue {
  const url = `\${__data.fields.${WEB}:raw}/${PAGES[kind]}?id=\${__data.fields.${ID}}`;
  return { id: "links", value: [{ title: OPEN, url, targetBlank: true }] };
}

/** The same for objects of several kinds, with the page of each in the row. */
export function linkToPage(): DynamicConfigValue {
  const url = `\${__data.fields.${WEB}:raw}/\${__data.fields.${PAGE}:raw}?id=\${__data.fields.${ID}}`;
  return { id: "links", value: [{ title: OPEN, url, targetBlank: true }] };
}

/** By these every dashboard is found, whoever installs it. */
export const UIDS = {
  overview: "prtg-overview",
  device: "prtg-device",
  explorer: "prtg-explorer",
  exporterHealth: "prtg-exporter-health",
  serviceLevel: "prtg-sla",
  capacity: "prtg-capacity",
} as const;

export interface Destination {
  readonly title: string;
  readonly dashboard: (typeof UIDS)[keyof typeof UIDS];
  /** Variables, and the columns of the row from which they take their values. */
  readonly columns: Readonly<Record<string, string>>;
  /** Variables that keep their values. */
  readonly kept: readonly string[];
}

/** Makes a cell a link to a dashboard of this set, with the time range of this one. */
export function leadsTo({ title, dashboard: uid, columns, kept }: Destination): DynamicConfigValue {
  const parameters = [
    "${__url_time_range}",
    ...kept.map((name) => `\${${name}:queryparam}`),
    ...Object.entries(columns).map(([name, column]) => `var-${name}=\${__data.fields.${column}:percentencode}`),
  ];
  return { id: "links", value: [{ title, url: `/d/${uid}?${parameters.join("&")}`, targetBlank: false }] };
}

const SOURCES = ["datasource", "logs", "job"];

/** From a row with these columns to its device. */
export function toDevice(
  columns: Readonly<Record<"server" | "probe" | "group" | "device", string>>,
): DynamicConfigValue {
  return leadsTo({ title: "Show this device", dashboard: UIDS.device, columns, kept: SOURCES });
}

/** From a row to its sensor; variables that no column gives keep their values. */
export function toSensor(columns: Readonly<Record<string, string>>, kept: readonly string[] = []): DynamicConfigValue {
  return leadsTo({ title: "Show this sensor", dashboard: UIDS.explorer, columns, kept: [...SOURCES, ...kept] });
}

/** The other dashboards of this set, with the time range and the variables of this one. */
export function siblings() {
  return new dashboard.DashboardLinkBuilder("PRTG")
    .type(dashboard.DashboardLinkType.Dashboards)
    .tags([TAG])
    .icon("external link")
    .asDropdown(true)
    .includeVars(true)
    .keepTime(true);
}
