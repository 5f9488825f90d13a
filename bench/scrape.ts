/**
 * What a scrape costs: ours, prom-client's registry with the same series, and bare node:http with the same bytes (the
 * limit). Each runs in a process of its own; requests go to them in turn.
 */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { get } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { describeSpread, TABLE_HEADER, timeInTurns } from "./statistics.ts";

export async function benchScrape(series: number, rounds: number): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), "bench-"));
  const processes: ChildProcess[] = [];
  const start = async (peer: string, ...args: string[]) => {
    const child = fork(new URL(`peers/${peer}.ts`, import.meta.url), args);
    processes.push(child);
    const [port] = (await once(child, "message")) as [number];
    return port;
  };
  try {
    const ours = await start("exporter-server", String(series));
    const registry = await start("prom-client-server", String(series));
    const files = ["identity", "gzip"].map((encoding) => path.join(folder, encoding));
    for (const [index, encoding] of ["identity", "gzip"].entries()) {
      writeFileSync(files[index] ?? "", await scrape(ours, encoding));
    }
    const bare = await start("static-server", ...files);
    const times = await timeInTurns(
      {
        "bare node:http, same bytes, gzip": () => scrape(bare, "gzip"),
        "prtg-exporter, gzip": () => scrape(ours, "gzip"),
        "bare node:http, same bytes, identity": () => scrape(bare, "identity"),
        "prtg-exporter, identity": () => scrape(ours, "identity"),
        "prom-client registry, identity": () => scrape(registry, "identity"),
      },
      rounds,
    );
    console.log(`\nscrape of ${series} series, milliseconds over ${rounds} rounds\n${TABLE_HEADER}`);
    for (const [name, spread] of Object.entries(times)) {
      const reference = name.endsWith("gzip")
        ? "bare node:http, same bytes, gzip"
        : "bare node:http, same bytes, identity";
      console.log(describeSpread(name, spread, times[reference]));
    }
  } finally {
    for (const child of processes) child.kill();
    rmSync(folder, { recursive: true });
  }
}

/** The raw body: the client must not spend its time on decompressing. */
function scrape(port: number, encoding: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const request = get(
      `http://127.0.0.1:${port}/metrics`,
      { headers: { "accept-encoding": encoding } },
      (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("end", () => resolve(Buffer.concat(chunks)));
      },
    );
    request.on("error", reject);
  });
}
