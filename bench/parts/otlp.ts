/** Processor time of pushes, compared with the SDK's serializer, which sends nothing. */

import type { Received } from "../peers/otlp-receiver.ts";
import { Child } from "../processes/child.ts";
import type { ProcessorTime } from "../processes/probe.ts";
import { type PartResult, ratioBudget } from "../results/result.ts";
import { measureInTurns } from "../statistics.ts";
import { forLarge, type PartOptions } from "./part.ts";
import { ratioOf, rowOf, rowsOf } from "./rows.ts";

const BARE = "the SDK's serializer alone, nothing sent";
const MEASUREMENTS = "measurements";
const STATE = "current state";
const OTEL_MEASUREMENTS = "measurements, with otlp.profile: otel";
const OTEL_STATE = "current state, with otlp.profile: otel";
const MAX_TO_SERIALIZER = 2;
const FOUR_MEBIBYTES = 4 << 20;

const OURS = [MEASUREMENTS, STATE, OTEL_MEASUREMENTS, OTEL_STATE] as const;

/** Programs with their OTLP profile. */
const CONTENDERS: Readonly<Record<string, readonly [script: string, profile: string]>> = {
  [BARE]: ["otlp-serializer", "prometheus"],
  [MEASUREMENTS]: ["otlp-measurements", "prometheus"],
  [STATE]: ["otlp-state", "prometheus"],
  [OTEL_MEASUREMENTS]: ["otlp-measurements", "otel"],
  [OTEL_STATE]: ["otlp-state", "otel"],
};

export async function benchOtlp(options: PartOptions): Promise<PartResult> {
  const { size, rounds } = options;
  await using receiver = Child.node("bench/peers/otlp-receiver.ts", []);
  const [, endpoint = ""] = await receiver.said(/listening on (\S+)/);
  await using stack = new AsyncDisposableStack();
  const contenders: Record<string, () => Promise<number>> = {};
  const ofOurs: Received[] = [];
  for (const [name, [script, profile]] of Object.entries(CONTENDERS)) {
    const child = stack.use(Child.node(`bench/peers/${script}.ts`, [String(size), endpoint, profile]));
    await child.said(/ready/);
    contenders[name] = async () => {
      const { cpuMs } = await child.ask<ProcessorTime>("push");
      const received = await receiver.ask<Received>("count");
      if (OURS.some((ours) => ours === name)) ofOurs.push(received);
      return cpuMs;
    };
  }
  const rows = rowsOf(await measureInTurns(contenders, rounds), "ms", () => BARE);
  const largest = Math.max(...ofOurs.map(({ largestBytes }) => largestBytes));
  const requests = ofOurs.map((received) => received.requests);
  return {
    part: "otlp",
    size,
    title: "otlp: processor time of a push",
    rows: [
      ...rows,
      rowOf("requests of a push of ours", "count", requests),
      rowOf("the largest of them", "bytes", [largest]),
    ],
    budgets: [
      ...forLarge(
        options,
        OURS.map((name) =>
          ratioBudget(
            `Processor time of an OTLP push of ${name}, to the SDK's serializer alone`,
            ratioOf(rows, name),
            MAX_TO_SERIALIZER,
          ),
        ),
      ),
      { what: "The largest OTLP request", unit: "bytes", value: largest, atMost: FOUR_MEBIBYTES - 1 },
    ],
    notes: ["The receiver is a process of its own. Every point of every push arrived, or the bench had failed."],
  };
}
