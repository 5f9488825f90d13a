/** The lower bound: reads nodes twice and channels once a minute. Arguments: milliseconds of a round, URLs. */
import { setTimeout as sleep } from "node:timers/promises";
import { Agent } from "undici";
import { serveCommands } from "../processes/answer.ts";
import { API_KEY } from "../processes/simulator.ts";
import { Stopwatch } from "../processes/stopwatch.ts";

/** Share of a round to connect and warm up. */
const WARM_UP = 1 / 4;
/** Like the exporter's, pages overlap by one object. */
const PAGE = 3_000;
const STEP = PAGE - 1;
const NODES = `/experimental/objects?filter=${encodeURIComponent("type = probe or type = group or type = device or type = sensor")}`;
const CHANNELS = "/experimental/channels?";
const LISTS = [NODES, CHANNELS, NODES];

/** As in the exporter. */
const BEAT_MS = 500;

const [round = "", ...urls] = process.argv.slice(2);
const roundMs = Number(round);
// As in the exporter.
const agent = new Agent({ connections: 4, pipelining: 1, allowH2: false, keepAliveTimeout: 90_000 });
const stopwatch = new Stopwatch();

async function read(url: string, list: string): Promise<void> {
  for (let offset = 0; ; offset += STEP) {
    const { statusCode, body } = await agent.request({
      origin: url,
      method: "GET",
      path: `/api/v2${list}&limit=${PAGE}&offset=${offset}`,
      headers: { accept: "application/json", authorization: `Bearer ${API_KEY}` },
    });
    if (statusCode !== 200) throw new Error(`${statusCode}: ${await body.text()}`);
    const records: unknown = JSON.parse(await body.text());
    if (!Array.isArray(records) || records.length < PAGE) return;
  }
}

async function readAll(ms: number): Promise<void> {
  const began = performance.now();
  const all = LISTS.flatMap((list) => urls.map((url) => ({ url, list })));
  const reading: Promise<void>[] = [];
  for (const [index, { url, list }] of all.entries()) {
    const evenly = (ms * index) / all.length;
    await sleep(began + Math.floor(evenly / BEAT_MS) * BEAT_MS - performance.now());
    reading.push(read(url, list));
  }
  await Promise.all(reading);
  await sleep(began + ms - performance.now());
}

await readAll(WARM_UP * roundMs);
serveCommands({ round: () => stopwatch.time(() => readAll(roundMs)) });
