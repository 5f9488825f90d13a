import { expect, vi } from "vitest";
import { isOwnMetric, parsePage } from "./parse-sample.ts";

/** Waits for everything polled: self-metrics are current, others slightly older. */
export function currentPage(url: string): Promise<string> {
  return vi.waitFor(
    async () => {
      const page = await (await fetch(`${url}/metrics`)).text();
      const samples = [...parsePage(page).values()];
      const known = samples.filter(({ name }) => name === "prtg_exporter_series");
      const shown = samples.filter(({ name }) => !isOwnMetric(name)).length;
      expect(shown).toBe(known.reduce((sum, { value }) => sum + Number(value), 0));
      return page;
    },
    { timeout: 30_000, interval: 50 },
  );
}
