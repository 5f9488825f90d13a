import { Prometheus } from "./prometheus.ts";
import type { PushingSite } from "./pushing-site.ts";

/** Nothing becomes stale by age: missing data has ended. */
export const LOOK_BACK = "5h";

/** A Prometheus that gets the data of a site by OTLP only, and one that scrapes the same exporter. */
export interface PushedAndScraped {
  readonly pushed: Prometheus;
  readonly scraped: Prometheus;
}

/** Resolves when both have data. */
export async function startPushedAndScraped(binary: string, site: PushingSite): Promise<PushedAndScraped> {
  const pushed = await Prometheus.start({
    binary,
    target: undefined,
    flags: ["--web.enable-otlp-receiver", `--query.lookback-delta=${LOOK_BACK}`],
    config: { storage: { tsdb: { out_of_order_time_window: "6h" } } },
  });
  let scraped: Prometheus | undefined;
  try {
    scraped = await Prometheus.start({ binary, target: `127.0.0.1:${site.exporter.port}` });
    site.relay.forwardTo(pushed.url);
    await scraped.waitUntilScraped();
    await site.waitForTwoCycles();
    return { pushed, scraped };
  } catch (error) {
    await pushed.stop();
    await scraped?.stop();
    throw error;
  }
}
