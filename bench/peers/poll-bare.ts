/** The lower bound: fetches with undici and parses. */
import { Pool } from "undici";
import { serveCommands } from "../processes/answer.ts";
import { API_KEY } from "../processes/simulator.ts";
import { Stopwatch } from "../processes/stopwatch.ts";

/** Like the exporter's, pages overlap by one object. */
const PAGE = 3_000;
const STEP = PAGE - 1;

const [url = ""] = process.argv.slice(2);
const pool = new Pool(url, { connections: 4, pipelining: 1, allowH2: false });
const stopwatch = new Stopwatch();

async function poll(): Promise<void> {
  for (let offset = 0; ; offset += STEP) {
    const { statusCode, body } = await pool.request({
      method: "GET",
      path: `/api/v2/experimental/channels?limit=${PAGE}&offset=${offset}`,
      headers: { accept: "application/json", authorization: `Bearer ${API_KEY}` },
    });
    if (statusCode !== 200) throw new Error(`${statusCode}: ${await body.text()}`);
    const records: unknown = JSON.parse(await body.text());
    if (!Array.isArray(records) || records.length < PAGE) return;
  }
}

serveCommands({ poll: () => stopwatch.time(poll) });
