import { duration, moment, number } from "./figures.ts";
import { type Html, html } from "./html.ts";
import type { CollectorReport } from "./report.ts";
import { badPill, goodPill, quietPill, warnPill } from "./status-marks.ts";

export function collectorsTable(collectors: readonly CollectorReport[], now: string): Html {
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Collectors"><table>
<thead><tr><th scope="col">Collector</th><th scope="col">Last run</th><th scope="col">Last success</th><th scope="col" class="n">Took</th><th scope="col">Next run</th><th scope="col" class="n">Failed</th><th scope="col" class="n">Skipped</th></tr></thead>
<tbody>${collectors.map((collector) => collectorRow(collector, now))}</tbody></table></div>`;
}

function collectorRow(collector: CollectorReport, now: string): Html {
  const { name, last_success_at, last_duration_seconds, next_run_at, failed_runs, skipped_runs, error } = collector;
  return html`<tr><th scope="row">${name}</th><td>${lastRun(collector)}</td><td>${moment(last_success_at, now)}</td><td class="n">${last_duration_seconds !== null && duration(last_duration_seconds)}</td><td>${next(collector, next_run_at, now)}</td><td class="n">${number(failed_runs)}</td><td class="n">${number(skipped_runs)}</td></tr>
${error !== null && html`<tr class="more"><td colspan="7" class="error"><bdi>${error}</bdi></td></tr>`}`;
}

function lastRun({ state, error, complete, last_duration_seconds }: CollectorReport): Html {
  if (state === "off") return quietPill("Off: no such endpoint", "–");
  if (error !== null) return badPill("Failed");
  if (last_duration_seconds === null) return quietPill(state === "running" ? "First run" : "Not yet");
  return complete === false ? warnPill("Incomplete") : goodPill("Complete");
}

function next({ state }: CollectorReport, at: string | null, now: string): Html {
  if (state === "running") return html`<span class="quiet">running</span>`;
  return at === null ? html`<span class="none">–</span>` : moment(at, now);
}
