import { readFile, writeFile } from "node:fs/promises";
import { z } from "zod";
import { type BenchResults, UNITS } from "./result.ts";

export const RESULTS_FILE = new URL("../results.json", import.meta.url);

const spread = z.strictObject({ minimum: z.number(), median: z.number(), maximum: z.number() });
const schema = z.strictObject({
  parts: z.array(
    z.strictObject({
      part: z.string(),
      size: z.number(),
      title: z.string(),
      rows: z.array(
        z.strictObject({
          name: z.string(),
          of: z.exactOptional(z.string()),
          unit: z.enum(UNITS),
          spread,
          samples: z.number(),
          ratio: z.exactOptional(z.strictObject({ spread, to: z.string() })),
        }),
      ),
      budgets: z.array(
        z.strictObject({
          what: z.string(),
          unit: z.enum(UNITS),
          value: z.number(),
          spread: z.exactOptional(spread),
          atMost: z.exactOptional(z.number()),
          atLeast: z.exactOptional(z.number()),
        }),
      ),
      notes: z.array(z.string()),
      occasion: z.strictObject({
        date: z.iso.date(),
        commit: z.string(),
        node: z.string(),
        processor: z.string(),
        cores: z.number(),
        calibrationMs: spread,
      }),
    }),
  ),
});

/** Undefined without the file. @throws ZodError, SyntaxError for another kind of file */
export async function readResults(file: URL): Promise<BenchResults | undefined> {
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  return text === undefined ? undefined : schema.parse(JSON.parse(text));
}

/** Five digits keep diffs small. @throws RangeError for NaN and infinity */
export async function writeResults(file: URL, results: BenchResults): Promise<void> {
  const round = (key: string, value: unknown) => {
    if (typeof value !== "number") return value;
    if (!Number.isFinite(value)) throw new RangeError(`${key} is ${value}`);
    return Number.isInteger(value) ? value : Number(value.toPrecision(5));
  };
  await writeFile(file, `${JSON.stringify(results, round, 2)}\n`);
}
