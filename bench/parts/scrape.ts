/** A scrape of an exporter without polls, and of nginx with the same bytes. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { type ExporterProcess, ONCE, startExporter } from "../processes/exporter.ts";
import { startNginx } from "../processes/nginx.ts";
import { findProgram } from "../processes/programs.ts";
import { ENCODINGS, type Encoding, readGzipped, scrape } from "../processes/scrape.ts";
import { startSimulator } from "../processes/simulator.ts";
import { type Budget, type PartResult, type Row, ratioBudget } from "../results/result.ts";
import { elapsed, measureInTurns } from "../statistics.ts";
import { countSamples } from "./page.ts";
import { forLarge, type PartOptions } from "./part.ts";
import { ratioOf, rowsOf } from "./rows.ts";

const MAX_TO_NGINX = 2.5;
/** Per round. */
const FAST_TURNS = 3;
/** Lets the compiler finish: a daemon runs for days. */
const WARM_UP_TURNS = 2;

const SETTINGS = {
  collectors: { health: ONCE, tree: ONCE, status: ONCE, channels: ONCE, limits: ONCE, timeseries: { enabled: false } },
  stale_after: "24h",
};

export async function benchScrape(options: PartOptions): Promise<PartResult> {
  const { size, rounds } = options;
  const folder = await mkdtemp(path.join(tmpdir(), "prtg-exporter-bench-"));
  const simulator = await startSimulator(size);
  try {
    await using exporter = await startExporter({ server: simulator.url, settings: SETTINGS });
    await exporter.ready();
    await simulator.stop();
    const { wire, text } = await readGzipped(exporter.url);
    await writeFile(path.join(folder, "metrics.gz"), wire);
    await writeFile(path.join(folder, "metrics"), text);
    const rows: Row[] = [];
    const notes = [
      `The page: ${countSamples(text)} series, ${(text.length / 1e6).toFixed(1)} MB, ${(wire.length / 1e6).toFixed(1)} MB with gzip.`,
    ];
    const budgets: Budget[] = [];
    const nginx = findProgram("nginx");
    if (nginx === undefined) notes.push("nginx, same bytes: skipped, install it with scripts/install-test-programs.sh");
    else rows.push(...(await besideNginx(exporter, nginx, folder, FAST_TURNS * rounds)));
    for (const encoding of rows.length > 0 ? ENCODINGS : []) {
      budgets.push(
        ratioBudget(
          `A scrape, ${encoding}, to nginx serving the same bytes from a file`,
          ratioOf(rows, ours(encoding)),
          MAX_TO_NGINX,
        ),
      );
    }
    return {
      part: "scrape",
      size,
      title: "scrape: time to the last byte, without polls",
      rows,
      budgets: forLarge(options, budgets),
      notes,
    };
  } finally {
    await simulator.stop();
    await rm(folder, { recursive: true });
  }
}

const ours = (encoding: Encoding) => `prtg-exporter, ${encoding}`;
const limit = (encoding: Encoding) => `nginx, same bytes, ${encoding}`;

async function besideNginx(exporter: ExporterProcess, binary: string, folder: string, turns: number): Promise<Row[]> {
  const { url, stop } = await startNginx(binary, folder);
  try {
    const rows: Row[] = [];
    for (const encoding of ENCODINGS) {
      const samples = await measureInTurns(
        {
          [limit(encoding)]: () => elapsed(() => scrape(`${url}/metrics`, encoding)),
          [ours(encoding)]: () => elapsed(() => scrape(`${exporter.url}/metrics`, encoding)),
        },
        turns,
        WARM_UP_TURNS * turns,
      );
      rows.push(...rowsOf(samples, "ms", () => limit(encoding)));
    }
    return rows;
  } finally {
    await stop();
  }
}
