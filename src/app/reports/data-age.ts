import type { DataAge } from "../../http/pages/status/source.ts";
import { instant } from "./report-values.ts";
import { lastPollAt } from "./server-list.ts";
import type { StatusSources } from "./sources.ts";

/** Age of the oldest data of these servers. Servers without a poll have none. @param servers Default: all. */
export function dataAge({ monitors, clock }: StatusSources, servers?: readonly string[]): DataAge {
  let oldest: number | undefined;
  for (const name of servers ?? monitors.keys()) {
    const monitor = monitors.get(name);
    const at = monitor && lastPollAt(monitor.summary());
    if (at !== undefined && (oldest === undefined || at < oldest)) oldest = at;
  }
  if (oldest === undefined) return { as_of: null, age_seconds: null };
  return { as_of: instant(oldest), age_seconds: Math.max(0, Math.round((clock.now() - oldest) / 1_000)) };
}
