/** Holds the series of a metrics page as users of prom-client would, and serves them. Each minute all values change. */
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { Gauge, Registry } from "prom-client";
import { readSeries } from "../processes/page-series.ts";

const INTERVAL_MS = 60_000;
const compress = promisify(gzip);

const [file = ""] = process.argv.slice(2);
const registry = new Registry();
const gauges = new Map<string, Gauge>();
const series = readSeries(await readFile(file, "utf8")).map(({ name, labels, value }) => {
  const known = gauges.get(name);
  const gauge = known ?? new Gauge({ name, help: name, labelNames: Object.keys(labels), registers: [registry] });
  gauges.set(name, gauge);
  return { gauge, labels, value };
});

function update(round: number): void {
  for (const { gauge, labels, value } of series) gauge.set(labels, value + round / 8);
}

let round = 0;
update(round);
setInterval(() => update(++round), INTERVAL_MS);

const server = createServer((_request, response) => {
  void registry.metrics().then(async (page) => {
    response.writeHead(200, { "content-type": registry.contentType, "content-encoding": "gzip" });
    response.end(await compress(page));
  });
});
server.listen(0, "127.0.0.1", () => {
  console.log(`${series.length} series on http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
