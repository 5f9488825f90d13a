import type { Redactor } from "../../errors/redactor.ts";
import type { DebugPage, DebugPages, DebugReport } from "../../http/pages/status/debug-view.ts";
import { FIRST_PAGE, type StatusSource } from "../../http/pages/status/source.ts";
import type { Clock } from "../../lib/clock.ts";
import { type Steps, TimeSlices } from "../../lib/yielding.ts";
import { type Outline, outlineOf } from "../../model/outline.ts";
import { cardinalityPage } from "./cardinality-page.ts";
import { explainPage } from "./explain-page.ts";
import type { Monitor, OutlineOf } from "./node-summary.ts";
import { redactStrings } from "./report-values.ts";
import { runsPage } from "./runs-page.ts";
import type { DebugSources, StatusSources } from "./sources.ts";
import { statusReport } from "./status-report.ts";
import { searchReport } from "./status-search.ts";
import { nodeReport } from "./status-tree.ts";

/** Milliseconds: several clicks use one outline. */
const OUTLINES_LAST = 2_000;

/** The status page, without secrets. */
export function createStatusSource(sources: StatusSources, redactor: Redactor): StatusSource {
  const outlines = recentOutlines(sources);
  // Names, paths and errors come from outside and may contain a secret.
  const redacted = async <Report>(report: Report, slices: Steps): Promise<Report> =>
    (await redactStrings(report, redactor, slices)) as Report;
  const slicesFor = (gone: AbortSignal | undefined) => new TimeSlices(sources.clock, gone, "reader");
  return {
    status: async (question = FIRST_PAGE, gone) => {
      const slices = slicesFor(gone);
      return redacted(await statusReport(sources, outlines, question, slices), slices);
    },
    node: async (question, gone) => {
      const slices = slicesFor(gone);
      return redacted(await nodeReport(sources, outlines, question, slices), slices);
    },
    search: async (question, gone) => {
      const slices = slicesFor(gone);
      return redacted(await searchReport(sources, outlines, question, slices), slices);
    },
    course: (server) => sources.courses.of(server),
    chart: async ({ server, id }, gone) => {
      const outcome = await sources.charts.read(server, id, gone);
      // The rest are numbers.
      return outcome?.kind === "failed" ? { ...outcome, reason: redactor.redact(outcome.reason) } : outcome;
    },
  };
}

/** Concurrent and close requests share an outline. Without requests it leaves memory. */
function recentOutlines({ clock }: StatusSources): OutlineOf {
  const made = new WeakMap<Monitor, { readonly at: number; readonly outline: WeakRef<Promise<Outline>> }>();
  return (monitor) => {
    const recent = made.get(monitor);
    const known = recent && clock.monotonic() - recent.at <= OUTLINES_LAST ? recent.outline.deref() : undefined;
    if (known !== undefined) return known;
    const { view } = monitor;
    const outline = outlineOf(
      view.state.tree,
      (node) => view.state.statusOf(node),
      new TimeSlices(clock, undefined, "reader"),
    );
    made.set(monitor, { at: clock.monotonic(), outline: new WeakRef(outline) });
    return outline;
  };
}

export function createDebugPages(sources: DebugSources, redactor: Redactor): DebugPages {
  return {
    explain: redacted(explainPage(sources), redactor, sources.clock),
    cardinality: redacted(shared(cardinalityPage(sources)), redactor, sources.clock),
    runs: redacted(runsPage(sources), redactor, sources.clock),
  };
}

/** Names, paths and labels come from outside and may contain a secret. */
function redacted(page: DebugPage, redactor: Redactor, clock: Clock): DebugPage {
  return async (query, gone) => {
    const report = await page(query, gone);
    const slices = new TimeSlices(clock, gone, "reader");
    const json = await redactStrings(report.json, redactor, slices);
    const sections = (await redactStrings(report.sections, redactor, slices)) as DebugReport["sections"];
    return { ...report, sections, json };
  };
}

/** Concurrent requests share a report. */
function shared(page: DebugPage): DebugPage {
  let underWay: Promise<DebugReport> | undefined;
  return (query) => {
    underWay ??= page(query).finally(() => {
      underWay = undefined;
    });
    return underWay;
  };
}
