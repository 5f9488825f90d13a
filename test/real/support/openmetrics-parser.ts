import { fileURLToPath } from "node:url";
import { runProgram } from "./run-program.ts";

interface OpenMetricsExemplar {
  labels: Record<string, string>;
  value: number;
  timestamp: number | null;
}

interface OpenMetricsSample {
  name: string;
  labels: Record<string, string>;
  value: number;
  /** Seconds, as on the page. */
  timestamp: number | null;
  exemplar: OpenMetricsExemplar | null;
}

export interface OpenMetricsFamily {
  name: string;
  type: string;
  help: string;
  unit: string;
  samples: OpenMetricsSample[];
}

type OpenMetricsOutcome = { ok: true; families: OpenMetricsFamily[] } | { ok: false; error: string };

/** JSON lacks NaN and infinities, so values come as text. */
type AsText<T extends { value: number }> = Omit<T, "value"> & { value: string };
type WireSample = Omit<AsText<OpenMetricsSample>, "exemplar"> & { exemplar: AsText<OpenMetricsExemplar> | null };
type WireFamily = Omit<OpenMetricsFamily, "samples"> & { samples: WireSample[] };
type WireOutcome = { families: WireFamily[] } | { error: string };

const SCRIPT = fileURLToPath(new URL("openmetrics_parser.py", import.meta.url));

/** Strict, independent parser of the Python client. */
export async function parseOpenMetrics(python: string, text: string): Promise<OpenMetricsOutcome> {
  const { code, stdout, stderr } = await runProgram(python, [SCRIPT], text);
  if (code !== 0) throw new Error(`the OpenMetrics parser did not run (code ${code}): ${stderr}`);
  const outcome = JSON.parse(stdout) as WireOutcome;
  if ("error" in outcome) return { ok: false, error: outcome.error };
  return {
    ok: true,
    families: outcome.families.map((family) => ({ ...family, samples: family.samples.map(readSample) })),
  };
}

function readSample(sample: WireSample): OpenMetricsSample {
  const { exemplar } = sample;
  return {
    ...sample,
    value: readNumber(sample.value),
    exemplar: exemplar && { ...exemplar, value: readNumber(exemplar.value) },
  };
}

function readNumber(text: string): number {
  if (text === "inf") return Infinity;
  if (text === "-inf") return -Infinity;
  return Number(text);
}
