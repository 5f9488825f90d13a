/** Our side of the scrape bench: the exporter's store, exposition and web server with the same series. */
import { pino } from "pino";
import { systemClock } from "../../src/clock.ts";
import { Exposition } from "../../src/exposition/exposition.ts";
import { formatLabels } from "../../src/exposition/text.ts";
import { createRoutes } from "../../src/http/routes.ts";
import { startWebServer } from "../../src/http/web-server.ts";
import { TREE_FAMILIES } from "../../src/mapping/metric-table.ts";
import { Store } from "../../src/store/store.ts";
import { ExporterMetrics } from "../../src/telemetry/exporter-metrics.ts";
import { FAMILY, labelsOf } from "./series.ts";

const store = new Store(Object.values(TREE_FAMILIES), (family, values) => formatLabels(family.labels, values));
const metrics = new ExporterMetrics({ version: "bench", revision: "" }, () => []);
const exposition = new Exposition({
  store,
  registry: metrics.registry,
  clock: systemClock,
  observer: { rendered() {} },
});
exposition.start();
await store.commit(() => {
  const table = store.table(FAMILY);
  for (let index = 0; index < Number(process.argv[2]); index++) table.set(table.add(labelsOf(index)), index / 3);
});
const server = await startWebServer({
  addresses: [{ host: "127.0.0.1", port: 0 }],
  log: pino({ level: "silent" }),
  routes: createRoutes({
    telemetryPath: "/metrics",
    exposition,
    served() {},
    isReady: () => true,
    version: "bench",
    servers: [],
  }),
});
process.send?.(Number(new URL(server.urls[0] ?? "").port));
