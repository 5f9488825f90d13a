/** Compared with an empty Node.js. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { FLAGS } from "../../bin/node-settings.js";
import { builtMain } from "../processes/built-program.ts";
import { Child } from "../processes/child.ts";
import { type Budget, type Row, ratioBudget } from "../results/result.ts";
import { ratiosOf, type Samples } from "../statistics.ts";
import { rowsOf } from "./rows.ts";

const TELL_START = fileURLToPath(new URL("../processes/tell-start.cjs", import.meta.url));
const ROUNDS = 15;
const MAX_RATIO = 8;
const EMPTY = "an empty process of Node.js";
const LISTENING = "the exporter until it listens, with a filled compile cache";
const FIRST = "the exporter until it listens, the first time";

export interface StartCost {
  readonly rows: readonly Row[];
  readonly budgets: readonly Budget[];
}

export async function measureStart(quick: boolean): Promise<StartCost> {
  const folder = await mkdtemp(path.join(tmpdir(), "prtg-exporter-bench-start-"));
  try {
    const config = path.join(folder, "config.json");
    const servers = [{ name: "hq", url: "http://127.0.0.1:9", auth: { api_key: "${BENCH_KEY}" } }];
    await writeFile(config, JSON.stringify({ servers }));
    const serve = ["serve", "--config.file", config, "--web.listen-address", "127.0.0.1:0", "--log.format", "json"];
    // As in image and packages.
    const exporter = [...FLAGS, builtMain(), ...serve];
    const samples = (): Samples<Contender> & Record<Contender, number[]> => ({
      [EMPTY]: [],
      [FIRST]: [],
      [LISTENING]: [],
    });
    const clock = samples();
    const processor = samples();
    for (let round = 0; round < (quick ? 1 : ROUNDS); round++) {
      // Filled by the first start.
      const cache = path.join(folder, `compile-cache-${round}`);
      const contenders = [
        [EMPTY, ["--eval", "0"]] as const,
        [FIRST, exporter] as const,
        [LISTENING, exporter] as const,
      ];
      for (const [name, args] of contenders) {
        const started = performance.now();
        await using child = new Child(process.execPath, ["--require", TELL_START, ...args], {
          env: { BENCH_KEY: "key", NODE_COMPILE_CACHE: cache },
        });
        const [, processorMs] = await child.said(/processor time (\S+)\n/);
        clock[name].push(performance.now() - started);
        processor[name].push(Number(processorMs));
      }
    }
    return summaryOf(clock, processor, quick);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

type Contender = typeof EMPTY | typeof FIRST | typeof LISTENING;

function summaryOf(clock: Samples<Contender>, processor: Samples<Contender>, quick: boolean): StartCost {
  const budget = (what: string, samples: Samples<Contender>): Budget =>
    ratioBudget(
      `${what} from the start until it listens, to an empty process of Node.js`,
      ratiosOf(samples[LISTENING], samples[EMPTY]),
      MAX_RATIO,
    );
  const rows = (samples: Samples<Contender>, kind: string) =>
    rowsOf(samples, "ms", () => EMPTY).map((row) => ({
      ...row,
      name: `${kind}: ${row.name}`,
      ...(row.ratio !== undefined && { ratio: { ...row.ratio, to: `${kind}: ${row.ratio.to}` } }),
    }));
  return {
    rows: [...rows(clock, "by the clock"), ...rows(processor, "processor time")],
    budgets: quick ? [] : [budget("Time by the clock", clock), budget("Processor time", processor)],
  };
}
