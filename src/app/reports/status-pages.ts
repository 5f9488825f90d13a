import type { Redactor } from "../../errors/redactor.ts";
import type { StatusSource } from "../../http/pages/status/source.ts";
import { TimeSlices } from "../../lib/yielding.ts";
import { outlineOf } from "../../model/outline.ts";
import { redactStrings } from "./debug-reports.ts";
import type { StatusSources } from "./sources.ts";
import { statusReport } from "./status-report.ts";
import { nodeReport, type ServerOutline, searchReport } from "./status-tree.ts";

/** Outlines are not made anew for each click, milliseconds. */
const OUTLINES_LAST = 2_000;

/** The facts of the status page, without secrets. */
export function createStatusSource(sources: StatusSources, redactor: Redactor): StatusSource {
  const outlines = recentOutlines(sources);
  // Names, paths and errors come from outside: a secret in one of them must not leave this way.
  const redacted = async <Report>(report: Report, slices: TimeSlices): Promise<Report> =>
    (await redactStrings(report, redactor, slices)) as Report;
  const slicesFor = (gone: AbortSignal | undefined) => new TimeSlices(sources.clock, gone);
  return {
    status: async (gone) => {
      const slices = slicesFor(gone);
      const seen = new Map((await outlines()).map(({ server, outline }) => [server, outline]));
      return redacted(await statusReport(sources, seen, slices), slices);
    },
    node: async (question, gone) => {
      const slices = slicesFor(gone);
      return redacted(await nodeReport(sources, await outlines(), question, slices), slices);
    },
    search: async (question, gone) => {
      const slices = slicesFor(gone);
      return redacted(await searchReport(sources, await outlines(), question, slices), slices);
    },
    course: (server) => sources.courses.of(server),
    chart: async ({ server, id }, gone) => {
      const outcome = await sources.charts.ask(server, id, gone);
      // Errors may repeat what the server said; the rest are numbers.
      return outcome?.kind === "failed" ? { ...outcome, reason: redactor.redact(outcome.reason) } : outcome;
    },
  };
}

/** Requests that come while outlines are being made, or soon after, share them; without requests they are not kept in memory. */
function recentOutlines(sources: StatusSources): () => Promise<readonly ServerOutline[]> {
  const { clock } = sources;
  let made: WeakRef<Promise<readonly ServerOutline[]>> | undefined;
  let madeAt = 0;
  return () => {
    const known = clock.monotonic() - madeAt > OUTLINES_LAST ? undefined : made?.deref();
    if (known !== undefined) return known;
    const outlines = outlinesOf(sources);
    made = new WeakRef(outlines);
    madeAt = clock.monotonic();
    return outlines;
  };
}

async function outlinesOf({ monitors, clock }: StatusSources): Promise<readonly ServerOutline[]> {
  const slices = new TimeSlices(clock);
  const outlines: ServerOutline[] = [];
  for (const [server, monitor] of monitors) {
    const statusOf = monitor.nodeStatus.bind(monitor);
    outlines.push({ server, monitor, outline: await outlineOf(monitor.tree(), statusOf, slices) });
  }
  return outlines;
}
