import { type Column, nameHtml, table } from "./components.ts";
import { clockTime, counted, moment, number, pathAbove, shortened } from "./figures.ts";
import { type Html, html } from "./html.ts";
import { nodeLink } from "./links.ts";
import type { OutageReport, StatusReport } from "./report.ts";
import { statusPill } from "./status-marks.ts";

const MAX_MESSAGE = 100;

/** One row for each outage: what, where, since when and why. @param hasServers More than one server. */
export function outageTable(
  { outages, generated_at: now }: Pick<StatusReport, "outages" | "generated_at">,
  hasServers: boolean,
): Html {
  const columns: readonly Column<OutageReport>[] = [
    { title: "Outage", value: (outage) => where(outage, hasServers) },
    { title: "Status", value: ({ status, problem }) => statusPill(status ?? problem), hasLabel: false },
    { title: "Sensors", value: howMany, hasLabel: false, className: () => "share" },
    { title: "Since", value: (outage) => sinceWhen(outage, now), className: () => "begun" },
    { title: "Why", value: why, className: () => "said" },
    { title: "Acknowledged", value: (outage) => acknowledged(outage), className: () => "said" },
  ];
  return table(columns, outages.items, { className: "cards outages" });
}

function where(outage: OutageReport, hasServers: boolean): Html {
  const { server, kind, name } = outage;
  const place = [hasServers ? server : "", pathAbove(outage)].filter((part) => part !== "").join(" / ");
  return html`<a href="${nodeLink(outage)}">${nameHtml(name)}</a> <span class="kind">${kind}</span><span class="path"><bdi>${place}</bdi></span>`;
}

function howMany({ affected, sensors, devices, hidden, recent }: OutageReport): Html {
  const parts = [
    devices > 0 && `on ${counted(devices, "device")}`,
    recent > 0 && recent < affected && `${number(recent)} in the last hour`,
    hidden > 0 && `${number(hidden)} more paused by a dependency`,
  ].filter((part) => part !== false);
  const more = parts.length > 0 && html`<span class="path">${parts.join(", ")}</span>`;
  return html`<b>${number(affected)}</b> of ${counted(sensors, "sensor")} ${more}`;
}

function sinceWhen({ server, since, first }: OutageReport, now: string): Html {
  const begun =
    since === null ? html`<span class="none">not known</span>` : html`${clockTime(since, now)}, ${moment(since, now)}`;
  return html`${begun}${first !== null && html`<span class="path">first <a href="${nodeLink({ server, id: first.id })}"><bdi>${lastNames(first)}</bdi></a></span>`}`;
}

/** `core-sw-9/Ping`: a sensor with its device. Names of sensors have slashes, too. */
function lastNames(sensor: NonNullable<OutageReport["first"]>): string {
  const device = pathAbove(sensor).split("/").at(-1) ?? "";
  return device === "" ? sensor.name : `${device}/${sensor.name}`;
}

function why({ server, kind, status, message, cause, affected }: OutageReport): Html | false {
  const master =
    cause !== null &&
    html`depends on <a href="${nodeLink({ server, id: cause.id })}"><bdi>${lastNames(cause)}</bdi></a>, which is down`;
  const times =
    message !== null && message.count < affected && html`<span class="quiet">${number(message.count)} ×</span> `;
  const text = message !== null && html`${times}${said(message.text)}`;
  const reason = master || (status === "disconnected" && html`the ${kind} is disconnected`);
  if (reason === false) return text && html`<span class="two">${text}</span>`;
  return html`${reason}${text !== false && html`<span class="path">${text}</span>`}`;
}

function acknowledged({
  acknowledged: count,
  acknowledgement,
  affected,
  problem,
}: OutageReport): Html | string | false {
  if (problem !== "down") return false;
  if (count === 0) return "no";
  const part = count === affected ? "all" : `${number(count)} of ${number(affected)}`;
  return html`${part}${acknowledgement !== null && html`<span class="path">${said(acknowledgement)}</span>`}`;
}

function said(message: string): Html {
  return html`<bdi>${shortened(message, MAX_MESSAGE)}</bdi>`;
}
