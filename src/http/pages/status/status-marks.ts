import { type StatusGroup, statusFacts } from "../../../prtg/status.ts";
import { silentDrawing } from "./components.ts";
import { counted, number } from "./figures.ts";
import { type Html, html } from "./html.ts";
import { searchLink } from "./links.ts";
import type { ParentCounts } from "./server-report.ts";
import {
  type Change,
  isProblem,
  PARENT_KINDS,
  PROBLEM_STATUSES,
  placeOfStatus,
  SERVER_STATES,
  type ServerState,
} from "./status-order.ts";
import { sumUp } from "./status-sum.ts";

interface Mark {
  readonly text: string;
  readonly glyph: string;
  readonly tone: "good" | "warn" | "blind" | "bad" | "known" | "still";
}

const TONES: Readonly<Record<StatusGroup, Mark["tone"]>> = {
  down: "bad",
  unknown: "blind",
  warning: "warn",
  acknowledged: "known",
  up: "good",
  paused: "still",
  other: "still",
};

/** A newer server may send unknown statuses. */
function markOf(status: string): Mark {
  const facts = statusFacts(status);
  if (facts === undefined) return { text: status, glyph: "•", tone: "still" };
  return { text: facts.text, glyph: facts.glyph, tone: TONES[facts.group] };
}

export function statusText(status: string): string {
  return markOf(status).text;
}

export function statusPill(status: string | null): Html {
  return pill(markOf(status ?? "unknown"));
}

/** `Down · 310 of 368`: an object with all sensors below it. */
export function sumPill(own: string | null, below: Readonly<Record<string, number>>): Html | undefined {
  const sum = sumUp(own, Object.entries(below));
  if (sum === undefined) return undefined;
  const { status, affected, sensors } = sum;
  const mark = markOf(status);
  const hasShare = affected > 0 && status !== "up";
  return pill({ ...mark, text: hasShare ? `${mark.text} · ${number(affected)} of ${number(sensors)}` : mark.text });
}

function pill({ text, glyph, tone }: Mark): Html {
  return html`<span class="pill ${tone}"><span class="glyph" aria-hidden="true">${glyph}</span>${text}</span>`;
}

export function goodPill(text: string): Html {
  return pill({ text, glyph: "✓", tone: "good" });
}

export function badPill(text: string): Html {
  return pill({ text, glyph: "✕", tone: "bad" });
}

export function warnPill(text: string): Html {
  return pill({ text, glyph: "!", tone: "warn" });
}

export function quietPill(text: string, glyph = "…"): Html {
  return pill({ text, glyph, tone: "still" });
}

/** Words for the connection: *Working* beside 300 sensors that are down would mislead. */
const STATES: Readonly<Record<ServerState, Mark>> = {
  unreachable: { text: "Not reachable", glyph: "⊘", tone: "bad" },
  failing: { text: "Polls fail", glyph: "✕", tone: "bad" },
  impaired: { text: "Reachable, some polls fail", glyph: "!", tone: "warn" },
  starting: { text: "Connecting", glyph: "…", tone: "still" },
  working: { text: "Reachable", glyph: "✓", tone: "good" },
};

export function statePill(state: ServerState): Html {
  return pill(STATES[state]);
}

const CHANGE_MARKS: Readonly<Record<Change, Mark>> = {
  down: markOf("down"),
  unknown: markOf("unknown"),
  acknowledged: markOf("acknowledged"),
  recovered: { text: "Recovered", glyph: "✓", tone: "good" },
  paused: { text: "Paused", glyph: "‖", tone: "still" },
  resumed: { text: "Resumed", glyph: "▸", tone: "good" },
  renamed: { text: "Renamed", glyph: "≡", tone: "still" },
  moved: { text: "Moved", glyph: "→", tone: "still" },
  added: { text: "Added", glyph: "+", tone: "still" },
  removed: { text: "Removed", glyph: "−", tone: "still" },
};

export function changePill(change: Change): Html {
  return pill(CHANGE_MARKS[change]);
}

export function changeText(change: Change): string {
  return CHANGE_MARKS[change].text;
}

export function stateCounts(counts: Readonly<Record<string, number>>): Html {
  const items = SERVER_STATES.flatMap((state) => {
    const { text, glyph, tone } = STATES[state];
    const count = counts[state] ?? 0;
    return count === 0
      ? []
      : html`<li class="count ${tone}"><span class="glyph" aria-hidden="true">${glyph}</span><b>${number(count)}</b> ${text}</li>`;
  });
  return html`<ul class="counts">${items}</ul>`;
}

/** `1 probe disconnected`: problems of probes, groups and devices themselves. */
export function parentProblems(counts: ParentCounts): string[] {
  return PARENT_KINDS.flatMap((kind) =>
    PROBLEM_STATUSES.filter((status) => isProblem(kind, status)).flatMap((status) => {
      const count = counts[kind][status] ?? 0;
      return count === 0 ? [] : `${counted(count, kind)} ${statusText(status).toLowerCase()}`;
    }),
  );
}

function inOrder(counts: Readonly<Record<string, number>>): [status: string, count: number][] {
  return Object.entries(counts)
    .filter(([, count]) => count > 0)
    .sort(([a], [b]) => placeOfStatus(a) - placeOfStatus(b));
}

/** Links to the sensors of one server, or of all. A status of a newer server has no link. */
export function statusCounts(counts: Readonly<Record<string, number>>, server?: string): Html {
  const items = inOrder(counts).map(([status, count]) => {
    const { text, glyph, tone } = markOf(status);
    const content = html`<span class="glyph" aria-hidden="true">${glyph}</span><b>${number(count)}</b> ${text}`;
    return statusFacts(status) !== undefined
      ? html`<li><a class="count ${tone}" href="${searchLink({ server, statuses: [status] })}">${content}</a></li>`
      : html`<li><span class="count ${tone}">${content}</span></li>`;
  });
  return html`<ul class="counts">${items}</ul>`;
}

/** Counts for table rows: glyph and number, with words for screen readers. Combines all kinds of pauses. */
export function statusTally(counts: Readonly<Record<string, number>>): Html {
  return tally(counts, ({ glyph }) => glyph, {});
}

/** One mark for each required reaction. */
export function shortTally(counts: Readonly<Record<string, number>>): Html {
  return tally(counts, ({ tone }) => tone, { bad: "Down", warn: "Warning", still: "Paused or other" });
}

/** @param texts Words of combined statuses. */
function tally(
  counts: Readonly<Record<string, number>>,
  keyOf: (mark: Mark) => string,
  texts: Partial<Record<Mark["tone"], string>>,
): Html {
  const tallies = new Map<string, Mark & { count: number }>();
  for (const [status, count] of inOrder(counts)) {
    const mark = markOf(status);
    const known = tallies.get(keyOf(mark));
    const isPaused = statusFacts(status)?.group === "paused";
    const text = known && (texts[known.tone] ?? (isPaused ? "Paused" : "Other"));
    tallies.set(keyOf(mark), { ...(known ?? mark), text: text ?? mark.text, count: (known?.count ?? 0) + count });
  }
  const items = tallies
    .values()
    .map(
      ({ text, glyph, tone, count }) =>
        html`<span class="tally ${tone}" title="${text}"><span class="glyph" aria-hidden="true">${glyph}</span>${number(count)}<span class="hidden"> ${text}, </span></span>`,
    );
  return html`<span class="tallies">${[...items]}</span>`;
}

/** Thousandths of the bar. Every status must be visible. */
const MIN_PART = 6;

export function statusBar(counts: Readonly<Record<string, number>>): Html | undefined {
  const tones = new Map<Mark["tone"], number>();
  for (const [status, count] of inOrder(counts)) {
    const { tone } = markOf(status);
    tones.set(tone, (tones.get(tone) ?? 0) + count);
  }
  const total = [...tones.values()].reduce((sum, count) => sum + count, 0);
  if (total === 0) return undefined;
  const widths = [...tones].map(([tone, count]) => ({ tone, width: Math.max(MIN_PART, (1_000 * count) / total) }));
  const sum = widths.reduce((all, { width }) => all + width, 0);
  let x = 0;
  const parts = widths.map(({ tone, width }) => {
    const from = x;
    x += width;
    return html`<rect class="${tone}" x="${from.toFixed(1)}" width="${width.toFixed(1)}" height="10"/>`;
  });
  return silentDrawing("bar", sum.toFixed(1), 10, parts);
}
