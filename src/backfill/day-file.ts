import type { FileHandle } from "node:fs/promises";
import { ExporterError } from "../errors/exporter-error.ts";
import { formatEnd, formatHeader } from "../exposition/format.ts";
import { formatValue } from "../exposition/text.ts";
import { TREE_FAMILIES } from "../mapping/metric-table.ts";
import { replaceFile, withFile } from "./durable-file.ts";
import type { PlannedSensor } from "./plan.ts";
import { formatTimestamp } from "./sample-text.ts";

/** Where the line of a sensor is in a part. */
interface Line {
  readonly sensor: number;
  readonly position: number;
  readonly length: number;
}

const FAMILY = TREE_FAMILIES.channelValue;
/** Characters that are written at once. */
const WRITE_SIZE = 1 << 20;

/**
 * Turns the part of a day into its OpenMetrics file: one family, series in the order of the plan, each with its samples
 * in the order of time. Resolves with the number of samples. Rejects with the signal's reason; there is no file then.
 */
export function writeDayFile(
  partPath: string,
  filePath: string,
  plan: readonly PlannedSensor[],
  signal: AbortSignal,
): Promise<number> {
  return withFile(partPath, "r", async (part) => {
    const lines = await findLines(part);
    return replaceFile(filePath, async (file) => {
      let samples = 0;
      let waiting = [formatHeader("openmetrics", FAMILY)];
      let size = 0;
      for (const line of lines.sort((a, b) => a.sensor - b.sensor)) {
        signal.throwIfAborted();
        const rendered = renderLine(await readLine(part, partPath, line), plan);
        samples += rendered.samples;
        size += rendered.text.length;
        waiting.push(rendered.text);
        if (size < WRITE_SIZE) continue;
        await file.writeFile(waiting.join(""));
        waiting = [];
        size = 0;
      }
      await file.writeFile(waiting.join("") + formatEnd("openmetrics"));
      return samples;
    });
  });
}

/** Parts are ASCII: a character is a byte. */
async function findLines(part: FileHandle): Promise<Line[]> {
  const lines: Line[] = [];
  let position = 0;
  for await (const line of part.readLines({ encoding: "latin1", start: 0, autoClose: false })) {
    lines.push({ sensor: Number.parseInt(line.slice(1), 10), position, length: line.length });
    position += line.length + 1;
  }
  return lines;
}

async function readLine(part: FileHandle, path: string, { position, length }: Line): Promise<string> {
  const line = Buffer.alloc(length);
  const { bytesRead } = await part.read(line, 0, length, position);
  if (bytesRead < length) throw new ExporterError("BACKFILL_DAMAGED", `${path} became shorter while it was read`);
  return line.toString("latin1");
}

function renderLine(line: string, plan: readonly PlannedSensor[]): { text: string; samples: number } {
  const [sensor = -1, ...lists]: [number, ...number[][]] = JSON.parse(line);
  const pieces: string[] = [];
  for (const [series = -1, ...list] of lists) {
    const name = `${FAMILY.name}${plan[sensor]?.series[series]?.labels ?? ""}`;
    for (let index = 0; index < list.length; index += 2) {
      pieces.push(`${name} ${formatValue(list[index + 1] ?? Number.NaN)} ${formatTimestamp(list[index] ?? 0)}\n`);
    }
  }
  return { text: pieces.join(""), samples: pieces.length };
}
