import { duration, moment, value } from "./figures.ts";
import { type Html, html } from "./html.ts";
import { fact, nameOf } from "./layout.ts";
import { explainLink } from "./links.ts";
import type { ChannelReport, NodeReport, NodeSummary, SensorReport } from "./report.ts";
import { warnPill } from "./status-marks.ts";
import { pagination } from "./tree-rows.ts";

const STATES: Readonly<Record<ChannelReport["state"], string>> = {
  served: "served",
  dropped: "dropped by a rule",
  paused: "sensor is paused",
  never_measured: "never measured",
  stale: "stale",
  no_value: "not a number",
};

export function sensorFacts({ node }: NodeReport, sensor: SensorReport, hasDebugPages: boolean, now: string): Html {
  const { kind, kind_name, interval_seconds, stale_after_seconds, status_since, last_measurement_at } = sensor;
  const { last_up_at, last_down_at } = sensor;
  return html`${fact("Kind", html`<bdi>${kind_name || kind}</bdi>`)}${
    status_since !== null && fact("Status since", moment(status_since, now))
  }${last_up_at !== null && fact("Last up", moment(last_up_at, now))}${
    last_down_at !== null && fact("Last down", moment(last_down_at, now))
  }${fact("Last measurement", moment(last_measurement_at, now))}${
    interval_seconds !== null && fact("Scanned every", duration(interval_seconds))
  }${stale_after_seconds !== null && fact("Stale after", duration(stale_after_seconds))}${
    hasDebugPages && fact("Debug", html`<a href="${explainLink(node.id)}">how the series are made</a>`)
  }`;
}

/** Channels with values, and the sensor's lines of the metrics page. */
export function sensorChannels(node: NodeSummary, sensor: SensorReport, now: string): Html {
  const { channels, channels_from: from, channels_total: total, series } = sensor;
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Channels"><table class="channels">
<thead><tr><th scope="col">Channel</th><th scope="col" class="n">Value</th><th scope="col">Unit</th><th scope="col">Measured</th><th scope="col">Limits</th></tr></thead>
${channels.map((channel) => channelRows(channel, now))}
</table></div>${pagination(node, { from, count: channels.length, total })}
${channels.length === 0 && html`<p class="none">No channels.</p>`}
<h3>Sensor series</h3>
${seriesOf(series, "own", null)}`;
}

function channelRows(channel: ChannelReport, now: string): Html {
  const { channel_id, name, unit, state, measured_at, limits, rule, series } = channel;
  const cell =
    channel.value === null
      ? html`<span class="none">${STATES[state]}</span>`
      : html`<data value="${channel.value}" title="${channel.value}">${value(channel.value)}</data>`;
  return html`<tbody>
<tr><th scope="row">${nameOf(name)} <span class="id">${channel_id}</span></th><td class="n">${cell}</td><td><bdi>${unit}</bdi></td><td>${moment(measured_at, now)}</td><td>${limitTexts(limits, channel.value)}</td></tr>
<tr class="more"><td colspan="5">${seriesOf(series, channel_id, rule)}</td></tr>
</tbody>`;
}

function seriesOf(series: readonly string[], key: string, rule: string | null): Html {
  const why = rule !== null && html` <span class="quiet">${rule}</span>`;
  if (series.length === 0) return html`<p class="lines none">no series${why}</p>`;
  const families = new Map<string, number>();
  for (const line of series) families.set(familyOf(line), (families.get(familyOf(line)) ?? 0) + 1);
  const names = [...families].map(
    ([family, count]) => html`<code>${family}</code>${count > 1 && html` <span class="quiet">× ${count}</span>`} `,
  );
  return html`<details class="lines" data-key="${key}"><summary>${names}</summary>${why}<ul class="series">${series.map((line) => html`<li><code>${line}</code></li>`)}</ul></details>`;
}

function familyOf(line: string): string {
  return line.split(/[{ ]/, 1)[0] ?? "";
}

const LIMITS: Readonly<
  Record<string, { readonly text: string; readonly beyond: (value: number, limit: number) => boolean }>
> = {
  max_error: { text: "error above", beyond: (value, limit) => value > limit },
  max_warning: { text: "warning above", beyond: (value, limit) => value > limit },
  min_warning: { text: "warning below", beyond: (value, limit) => value < limit },
  min_error: { text: "error below", beyond: (value, limit) => value < limit },
};

function limitTexts(limits: Readonly<Record<string, number>>, current: number | null): Html | undefined {
  const entries = Object.entries(limits);
  if (entries.length === 0) return undefined;
  return html`<ul class="plain">${entries.map(([name, limit]) => {
    const known = Object.hasOwn(LIMITS, name) ? LIMITS[name] : undefined;
    const text = `${known?.text ?? name} ${value(limit)}`;
    return html`<li>${current !== null && known?.beyond(current, limit) === true ? warnPill(text) : text}</li>`;
  })}</ul>`;
}
