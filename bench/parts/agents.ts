/** Calls of agents to /mcp beside scrapes and polls. */
import { setTimeout as sleep } from "node:timers/promises";
import { startExporter } from "../processes/exporter.ts";
import { scrape } from "../processes/scrape.ts";
import { startSimulator } from "../processes/simulator.ts";
import type { PartResult } from "../results/result.ts";
import { elapsed, percentileOf, spreadOf } from "../statistics.ts";
import { forLarge, type PartOptions } from "./part.ts";
import { rowOf } from "./rows.ts";

/** At least. Calls go on until there are enough scrapes for a 99th percentile. */
const CALLS = 1_000;
const QUICK_CALLS = 50;
/** Calls under way. */
const AGENTS = 4;
const SCRAPE_EVERY_MS = 100;
const SCRAPES = 300;
const QUICK_SCRAPES = 10;
const MAX_SCRAPE_MS = 100;
const MAX_ANSWER_BYTES = 128 * 1_024;

/** As in the part `loop`. */
const SETTINGS = {
  web: { mcp: true },
  collectors: {
    status: { schedule: "10s" },
    channels: { schedule: "15s" },
    tree: { schedule: "20s" },
    limits: { schedule: "30s" },
    timeseries: { enabled: false },
  },
};

interface Call {
  readonly name: string;
  readonly args: object;
}

export async function benchAgents(options: PartOptions): Promise<PartResult> {
  const { size, quick } = options;
  await using simulator = await startSimulator(size);
  await using exporter = await startExporter({ server: simulator.url, limits: {}, settings: SETTINGS });
  await exporter.ready();
  await scrape(`${exporter.url}/metrics`, "gzip");
  const calls = await callsOf(exporter.url);
  for (const call of calls) await answer(exporter.url, call);

  const scrapes = quick ? QUICK_SCRAPES : SCRAPES;
  const alone = await scrapeTimes(exporter.url, scrapes);
  const times = new Map<string, number[]>(calls.map(({ name }) => [name, []]));
  const bytes: number[] = [];
  let isScraping = true;
  let next = 0;
  const agent = async () => {
    while (isScraping || next < (quick ? QUICK_CALLS : CALLS)) {
      const call = calls[next++ % calls.length];
      if (call === undefined) continue;
      times.get(call.name)?.push(await elapsed(async () => bytes.push(await answer(exporter.url, call))));
    }
  };
  const calling = Promise.all(Array.from({ length: AGENTS }, agent));
  const beside = await scrapeTimes(exporter.url, scrapes);
  isScraping = false;
  await calling;
  return {
    part: "agents",
    size,
    title: `agents: calls of tools, ${AGENTS} at a time, beside polls and scrapes`,
    rows: [
      rowOf("scrape, gzip, without calls", "ms", alone),
      rowOf("scrape, gzip, beside calls", "ms", beside),
      ...Array.from(times, ([name, values]) => rowOf(name, "ms", values)),
      rowOf(
        "answer",
        "kB",
        bytes.map((each) => each / 1_000),
      ),
    ],
    budgets: [
      {
        what: "The largest answer to an agent",
        unit: "bytes",
        value: spreadOf(bytes).maximum,
        atMost: MAX_ANSWER_BYTES,
      },
      ...forLarge(options, [
        {
          what: "A scrape, gzip, beside calls of agents: 99th percentile",
          unit: "ms" as const,
          value: percentileOf(beside, 0.99),
          spread: spreadOf(beside),
          atMost: MAX_SCRAPE_MS,
        },
      ]),
    ],
    notes: [
      `Meanwhile: ${beside.length} scrapes and ${bytes.length} calls. 99th percentile of scrapes without calls: ${percentileOf(alone, 0.99).toFixed(1)} ms.`,
    ],
  };
}

async function scrapeTimes(url: string, count: number): Promise<number[]> {
  const times: number[] = [];
  while (times.length < count) {
    times.push(await elapsed(() => scrape(`${url}/metrics`, "gzip")));
    await sleep(SCRAPE_EVERY_MS);
  }
  return times;
}

/** One call of each tool apart from the history, which waits for the monitoring server. */
async function callsOf(url: string): Promise<readonly Call[]> {
  const found = await request(url, { name: "find_objects", args: { status: ["down", "warning", "up"] } });
  const [, id = ""] = /"id":"(\d+)","kind":"sensor"/.exec(found.replaceAll("\\", "")) ?? [];
  if (id === "") throw new Error(`no sensor is found: ${found.slice(0, 500)}`);
  return [
    { name: "list_servers", args: {} },
    { name: "list_outages", args: {} },
    { name: "find_objects", args: { text: "ping", status: ["up"] } },
    { name: "get_object", args: { id } },
    { name: "get_changes", args: {} },
    { name: "explain_series", args: { id } },
  ];
}

/** Resolves with its bytes. Rejects if the tool refuses the call. */
async function answer(url: string, call: Call): Promise<number> {
  const text = await request(url, call);
  if (text.includes('"isError":true')) throw new Error(`${call.name}: ${text.slice(0, 500)}`);
  return Buffer.byteLength(text);
}

async function request(url: string, { name, args }: Call): Promise<string> {
  const response = await fetch(`${url}/mcp`, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } }),
  });
  if (!response.ok) throw new Error(`${name}: ${response.status} ${await response.text()}`);
  return response.text();
}
