import type { Redactor } from "../errors/redactor.ts";
import type { DebugPage, DebugPages, DebugReport } from "../http/debug-endpoint.ts";
import { cardinalityPage } from "./cardinality-page.ts";
import type { DebugSources } from "./debug-sources.ts";
import { explainPage } from "./explain-page.ts";

export function createDebugPages(sources: DebugSources, redactor: Redactor): DebugPages {
  return {
    explain: redacted(explainPage(sources), redactor),
    cardinality: redacted(shared(cardinalityPage(sources)), redactor),
  };
}

/** Names, paths and labels come from outside: a secret in one of them must not leave this way. */
function redacted(page: DebugPage, redactor: Redactor): DebugPage {
  return async (query) => {
    const report = await page(query);
    return { ...report, text: redactor.redact(report.text), json: redactStrings(report.json, redactor) };
  };
}

/** `value` with every text in it redacted, keys too. */
export function redactStrings(value: unknown, redactor: Redactor): unknown {
  if (typeof value === "string") return redactor.redact(value);
  if (Array.isArray(value)) return value.map((item) => redactStrings(item, redactor));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [redactor.redact(key), redactStrings(item, redactor)]),
  );
}

/** Whoever asks while a report is in the making gets that one: it is long work, and the same for all. */
function shared(page: DebugPage): DebugPage {
  let underWay: Promise<DebugReport> | undefined;
  return (query) => {
    underWay ??= page(query).finally(() => {
      underWay = undefined;
    });
    return underWay;
  };
}
