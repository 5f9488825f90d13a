import type { DynamicConfigValue } from "@grafana/grafana-foundation-sdk/dashboard";
import * as dashboard from "@grafana/grafana-foundation-sdk/dashboard";

export const TAG = "prtg";

/** Pages of the classic web interface, each with the id of its object. */
const PAGES = { sensor: "sensor.htm", device: "device.htm", group: "group.htm", probe: "probenode.htm" } as const;

/** Title of the column that holds the id: links of other cells take it from there. */
export const ID = "ID";

/** Makes a cell a link to the object whose id stands in the row. */
export function linkTo(kind: keyof typeof PAGES): DynamicConfigValue {
  const url = `\${web:raw}/${PAGES[kind]}?id=\${__data.fields.${ID}}`;
  return { id: "links", value: [{ title: "Open in the monitoring service", url, targetBlank: true }] };
}

/**
 * Makes a cell a link to this very dashboard, with variables taken from columns of its row, and others kept. No
 * dashboard has a fixed uid, so none can be named but this one.
 */
export function chooses(
  title: string,
  fromColumns: Readonly<Record<string, string>>,
  kept: readonly string[],
): DynamicConfigValue {
  const parameters = [
    "${__url_time_range}",
    ...kept.map((name) => `\${${name}:queryparam}`),
    ...Object.entries(fromColumns).map(([name, column]) => `var-${name}=\${__data.fields.${column}:percentencode}`),
  ];
  const url = `/d/\${__dashboard.uid}?${parameters.join("&")}`;
  return { id: "links", value: [{ title, url, targetBlank: false }] };
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
