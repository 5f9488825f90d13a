import type { Redactor } from "../../errors/redactor.ts";
import type { DebugPage, DebugPages } from "../../http/pages/debug-endpoint.ts";
import type { DebugReport } from "../../http/pages/status/debug-view.ts";
import { TimeSlices } from "../../lib/yielding.ts";
import { cardinalityPage } from "./cardinality-page.ts";
import { explainPage } from "./explain-page.ts";
import { redactStrings } from "./report-values.ts";
import { runsPage } from "./runs-page.ts";
import type { DebugSources } from "./sources.ts";

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
    explain: redacted((query, gone) => explainPage(sources())(query, gone)),
    cardinality: redacted(shared((query, gone) => cardinalityPage(sources())(query, gone))),
    runs: redacted((query, gone) => runsPage(sources())(query, gone)),
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
