import type { Redactor } from "../../errors/redactor.ts";
import type { DebugPage, DebugPages, DebugReport } from "../../http/pages/status/debug-view.ts";
import { FIRST_PAGE, type StatusSource } from "../../http/pages/status/source.ts";
import { TimeSlices } from "../../lib/yielding.ts";
import { type Outline, outlineOf } from "../../model/outline.ts";
import { cardinalityPage } from "./cardinality-page.ts";
import { changesReport } from "./changes-report.ts";
import { dataAge } from "./data-age.ts";
import { explainPage } from "./explain-page.ts";
import type { Monitor, OutlineOf } from "./node-summary.ts";
import { redactStrings } from "./report-values.ts";
import { restrictSources } from "./restricted-sources.ts";
import { runsPage } from "./runs-page.ts";
import type { DebugSources, StatusSources } from "./sources.ts";
import { statusReport } from "./status-report.ts";
import { searchReport } from "./status-search.ts";
import { nodeReport } from "./status-tree.ts";

/** Milliseconds: several clicks use one outline. */
const OUTLINES_LAST = 2_000;

/** The status pages of all servers, and of a user who sees only some. */
export interface StatusPages {
  readonly all: StatusSource;
  of(servers: readonly string[]): StatusSource;
}

export function createStatusPages(sources: () => StatusSources, redactor: Redactor): StatusPages {
  const outlines = recentOutlines(sources);
  return {
    all: createStatusSource(sources, redactor, outlines),
    of: (servers) => createStatusSource(() => restrictSources(sources(), servers), redactor, outlines),
  };
}

/** The status page, without secrets. */
export function createStatusSource(
  sources: () => StatusSources,
  redactor: Redactor,
  outlines: OutlineOf = recentOutlines(sources),
): StatusSource {
  // Names, paths and errors come from outside and may contain a secret.
  const answer =
    <Question, Report>(
      report: (sources: StatusSources, outlines: OutlineOf, question: Question, slices: TimeSlices) => Promise<Report>,
    ) =>
    async (question: Question, gone?: AbortSignal): Promise<Report> => {
      const now = sources();
      const slices = new TimeSlices(now.clock, gone, "reader");
      return (await redactStrings(await report(now, outlines, question, slices), redactor, slices)) as Report;
    };
  const status = answer(statusReport);
  return {
    status: (question = FIRST_PAGE, gone) => status(question, gone),
    node: answer(nodeReport),
    search: answer(searchReport),
    changes: answer(changesReport),
    age: (servers) => dataAge(sources(), servers),
    course: (server) => sources().courses.of(server),
    chart: async ({ server, id }, gone) => {
      const outcome = await sources().charts.read(server, id, gone);
      // The rest are numbers.
      return outcome?.kind === "failed" ? { ...outcome, reason: redactor.redact(outcome.reason) } : outcome;
    },
  };
}

/** Concurrent and close requests share an outline. Without requests it leaves memory. */
function recentOutlines(sources: () => StatusSources): OutlineOf {
  const made = new WeakMap<Monitor, { readonly at: number; readonly outline: WeakRef<Promise<Outline>> }>();
  return (monitor) => {
    const { clock } = sources();
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

export function createDebugPages(sources: () => DebugSources, redactor: Redactor): DebugPages {
  // Names, paths and labels come from outside and may contain a secret.
  const redacted =
    (page: DebugPage): DebugPage =>
    async (query, gone) => {
      const report = await page(query, gone);
      const slices = new TimeSlices(sources().clock, gone, "reader");
      const json = await redactStrings(report.json, redactor, slices);
      const sections = (await redactStrings(report.sections, redactor, slices)) as DebugReport["sections"];
      return { ...report, sections, json };
    };
  return {
    explain: redacted(explainPage(sources)),
    cardinality: redacted(shared(cardinalityPage(sources))),
    runs: redacted(runsPage(sources)),
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
