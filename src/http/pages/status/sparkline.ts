import type { StatusCourse } from "./courses.ts";
import { number } from "./figures.ts";
import { type Html, html } from "./html.ts";

/** Of four hours, each a unit of the drawing wide. */
const PARTS = 48;
const PART_MS = (240 / PARTS) * 60_000;
const HEIGHT = 10;

/** Sensors that were down lately: the maximum of each five minutes. */
export function sparkline(course: StatusCourse): Html | undefined {
  const last = course.at(-1);
  if (last === undefined || course.length < 2) return undefined;
  const parts = new Map<number, number>();
  for (const { at, counts } of course) {
    const part = PARTS - 1 - Math.floor((last.at - at) / PART_MS);
    if (part >= 0) parts.set(part, Math.max(parts.get(part) ?? 0, counts.down));
  }
  const highest = Math.max(...parts.values());
  const text = highest === 0 ? "None was down" : `Now ${number(last.counts.down)}, at most ${number(highest)}`;
  return html`<svg class="spark ${highest === 0 ? "still" : "bad"}" viewBox="0 -1 ${PARTS} ${HEIGHT + 2}" preserveAspectRatio="none" role="img"><title>${text}</title><path d="${pathOf(parts, highest)}"/></svg>`;
}

/** A line only where the level changes; breaks without samples. */
function pathOf(parts: ReadonlyMap<number, number>, highest: number): string {
  const lines: string[] = [];
  let level: number | undefined;
  for (let part = 0; part <= PARTS; part++) {
    const count = parts.get(part);
    const next = count === undefined ? undefined : Math.round(HEIGHT * (1 - count / Math.max(1, highest)));
    if (next === level) continue;
    if (level !== undefined) lines.push(`H${part}`);
    if (next !== undefined) lines.push(level === undefined ? `M${part},${next}` : `V${next}`);
    level = next;
  }
  return lines.join("");
}
