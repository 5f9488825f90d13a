/**
 * Peer of the scrape bench: the same series in a registry of prom-client, rendered for each scrape as it does, and
 * compressed for each scrape as a web framework would.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { Gauge, Registry } from "prom-client";
import { readSeries } from "./series-dump.ts";

const compress = promisify(gzip);
const registry = new Registry();
for (const { name, help, labels, series } of await readSeries(process.argv[2] ?? "")) {
  const gauge = new Gauge({ name, help, labelNames: labels, registers: [registry] });
  for (const { values, value } of series) {
    gauge.set(Object.fromEntries(labels.map((label, position) => [label, values[position] ?? ""])), value);
  }
}

const server = createServer(async (request, response) => {
  response.setHeader("Content-Type", registry.contentType);
  const text = await registry.metrics();
  if (request.headers["accept-encoding"] !== "gzip") {
    response.end(text);
    return;
  }
  response.setHeader("Content-Encoding", "gzip");
  response.end(await compress(text));
});
server.listen(0, "127.0.0.1", () =>
  console.log(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}`),
);
