/** Peer of the scrape bench: the same series in a prom-client registry, rendered for each scrape as it does. */
import { createServer } from "node:http";
import { Gauge, Registry } from "prom-client";
import { reportPort } from "./report-port.ts";
import { FAMILY, labelsOf } from "./series.ts";

const registry = new Registry();
const gauge = new Gauge({ name: FAMILY.name, help: FAMILY.help, labelNames: FAMILY.labels, registers: [registry] });
for (let index = 0; index < Number(process.argv[2]); index++) {
  const values = labelsOf(index);
  gauge.set(Object.fromEntries(FAMILY.labels.map((label, position) => [label, values[position] ?? ""])), index / 3);
}

reportPort(
  createServer(async (_request, response) => {
    response.setHeader("Content-Type", registry.contentType);
    response.end(await registry.metrics());
  }),
);
