import type { Findings, ResourceSample } from "./findings.ts";
import { largest, mean, part, slope } from "./statistics.ts";

/** Heaps grow until the collector sees a reason: shorter runs say nothing. */
const TELLING_MINUTES = 10;
const MEMORY_FACTOR = 1.25;
const MEMORY_SLACK_BYTES = 20 * 1_024 * 1_024;
const FILES_SLACK = 15;

export interface ResourceSummary {
  /** Means of a tenth of the run: after the first quarter, and at its end. Bytes. */
  readonly startBytes: number;
  readonly endBytes: number;
  readonly bytesAnHour: number;
  readonly startFiles: number;
  readonly endFiles: number;
}

/** Undefined without samples. */
export function summarize(samples: readonly ResourceSample[]): ResourceSummary | undefined {
  if (samples.length < 10) return undefined;
  const bytes = (of: readonly ResourceSample[]) => mean(of.map(({ residentBytes }) => residentBytes));
  const files = (of: readonly ResourceSample[]) => largest(of.map(({ openFiles }) => openFiles));
  const start = part(samples, 0.25, 0.35);
  const end = part(samples, 0.9, 1);
  const points = part(samples, 0.25, 1).map(({ hours, residentBytes }) => ({ x: hours, y: residentBytes }));
  return {
    startBytes: bytes(start),
    endBytes: bytes(end),
    bytesAnHour: slope(points),
    startFiles: files(start),
    endFiles: files(end),
  };
}

/**
 * What the exporter may take with two servers of 1,000 channels, whatever servers answer and readers ask for: its own
 * 150 MiB, and what docs/threat-model.md allows for an answer, parts of the page and the heap's garbage.
 */
export const MAX_RESIDENT_BYTES = 512 * 1_024 * 1_024;

/** Memory is bounded, and memory and handles are flat. */
export function judgeResources(findings: Findings, minutes: number): void {
  if (findings.peakBytes > MAX_RESIDENT_BYTES) {
    findings.violated(`resident memory was ${Math.round(findings.peakBytes / 1_048_576)} MiB at its highest`);
  }
  const summary = summarize(findings.resources);
  if (summary === undefined) return;
  const { startBytes, endBytes, startFiles, endFiles } = summary;
  if (endFiles > startFiles + FILES_SLACK) findings.violated(`open files rose from ${startFiles} to ${endFiles}`);
  if (minutes < TELLING_MINUTES) return;
  if (endBytes > startBytes * MEMORY_FACTOR + MEMORY_SLACK_BYTES) {
    findings.violated(`memory rose from ${Math.round(startBytes / 1e6)} to ${Math.round(endBytes / 1e6)} MB`);
  }
}
