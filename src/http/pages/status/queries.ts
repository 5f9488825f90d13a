/** Labels that name one object. */
const KEYS = /\b(?:server|sensor_id|channel_id)="(?:[^"\\]|\\.)*"/g;

/** `{server="hq", sensor_id="2490"}`, from a line of the metrics page. PromQL escapes labels in the same way. */
export function selectorOf(line: string): string {
  const labels = line.slice(line.indexOf("{")).match(KEYS) ?? [];
  return `{${labels.join(", ")}}`;
}

/** PromQL that returns the series of a line, and keeps doing so if the object gets a new name. */
export function queryOf(line: string): string {
  return `${familyOf(line)}${selectorOf(line)}`;
}

export function familyOf(line: string): string {
  return line.split(/[{ ]/, 1)[0] ?? "";
}
