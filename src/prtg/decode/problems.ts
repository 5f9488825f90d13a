import { DECODE_PROBLEMS, type DecodeProblem } from "../../telemetry/own-metrics.ts";

/** How often each problem was met. Decoders count up in place: they run some hundred thousand times a minute. */
export type DecodeProblems = Record<DecodeProblem, number>;

export function noProblems(): DecodeProblems {
  return { record: 0, status: 0, value: 0, timestamp: 0, summary: 0, lookup: 0, text: 0, secret: 0, duplicate: 0 };
}

export function addProblems(sum: DecodeProblems, problems: DecodeProblems): void {
  for (const problem of DECODE_PROBLEMS) sum[problem] += problems[problem];
}

/** Reports each kind that was met. */
export function reportProblems(
  problems: DecodeProblems,
  counter: { decodeProblem(problem: DecodeProblem, count: number): void },
): void {
  for (const problem of DECODE_PROBLEMS) {
    if (problems[problem] > 0) counter.decodeProblem(problem, problems[problem]);
  }
}
