import { resolve } from "node:path";
import type { BackfillOutcome } from "../../backfill/backfill.ts";

/** What is said in the end of a backfill into files, and what to do next. */
export function concludeFiles(outcome: BackfillOutcome, output: string): string {
  if (outcome.kind === "interrupted") return interrupted(outcome);
  const { files, samples, series, sensors } = outcome.run;
  if (files.length === 0) return nothingFound(sensors);
  const folder = resolve(output);
  const paths = outcome.shared ? files.map((name) => quote(`${folder}/${name}`)).join(" ") : `${quote(folder)}/*.om`;
  return [
    `wrote ${samples} samples of up to ${series} series into ${files.length} files in ${output}`,
    "next, where the data folder of Prometheus is (see docs/backfill.md):",
    `  for file in ${paths}; do promtool tsdb create-blocks-from --max-block-duration=24h openmetrics --quiet "$file" DATA_FOLDER || break; done`,
  ].join("\n");
}

/** What is said in the end of a push. */
export function concludePush(outcome: BackfillOutcome, url: string): string {
  if (outcome.kind === "interrupted") return interrupted(outcome);
  const { samples, series, sensors, push } = outcome.run;
  const { rejected = 0, message = "" } = push ?? {};
  if (samples + rejected === 0) return nothingFound(sensors);
  const pushed = `pushed ${samples} values of up to ${series} series to ${url}`;
  if (rejected === 0) return pushed;
  return `${pushed}\nthe receiver refused ${rejected} values for good${message === "" ? "" : `: ${message}`}`;
}

function interrupted({ done, sensors, pushed }: Extract<BackfillOutcome, { readonly kind: "interrupted" }>): string {
  const reading = sensors === 0 ? "before any sensor was read" : `${done} of ${sensors} sensors are done`;
  const state = pushed === undefined ? reading : `${pushed.done} of ${pushed.values} values are pushed`;
  return `interrupted: ${state}; run the same command again to continue`;
}

function nothingFound(sensors: number): string {
  return `the server has no measurements of these ${sensors} sensors in this time`;
}

/** For a POSIX shell. */
function quote(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
