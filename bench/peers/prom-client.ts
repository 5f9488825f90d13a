/** Renders and compresses with prom-client on each scrape. */
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { Gauge, Registry } from "prom-client";
import { readSeries } from "./page-series.ts";

const compress = promisify(gzip);
const registry = new Registry();
for (const { name, help, labels, series } of readSeries(readFileSync(process.argv[2] ?? ""))) {
  const gauge = new Gauge({ name, help, labelNames: labels, registers: [registry] });
  for (const { values, value } of series) {
    gauge.set(Object.fromEntries(labels.map((label, position) => [label, values[position] ?? ""])), value);
  }
}

const server = createServer(async (_request, response) => {
  response.setHeader("Content-Type", registry.contentType);
  response.setHeader("Content-Encoding", "gzip");
  response.end(await compress(await registry.metrics()));
});
server.listen(0, "127.0.0.1", () =>
  console.log(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}`),
);
