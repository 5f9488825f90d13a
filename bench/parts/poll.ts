/** Processor time of a poll of all channels, with and without the page, compared with bare requests and `JSON.parse`. */
import { FLAGS } from "../../bin/node-settings.js";
import { Child } from "../processes/child.ts";
import { ONCE, startExporter } from "../processes/exporter.ts";
import type { ProcessorTime } from "../processes/probe.ts";
import { type SimulatedServer, startSimulator } from "../processes/simulator.ts";
import { waitForPolls } from "../processes/wait-for-polls.ts";
import { type Budget, type PartResult, ratioBudget } from "../results/result.ts";
import { measureInTurns, ratiosOf } from "../statistics.ts";
import { forLarge, type PartOptions } from "./part.ts";
import { ratioOf, rowOf, rowsOf } from "./rows.ts";

const OURS = "poll of all channels";
const BARE = "bare loop of requests and JSON.parse";
const WITH_PAGE = "the same with the page rendered and compressed";
const MAX_POLL = 2;
const MAX_POLL_WITH_PAGE = 2.5;
const WARM_UP = 2;

export async function benchPoll(options: PartOptions): Promise<PartResult> {
  const { size, rounds } = options;
  await using simulator = await startSimulator(size);
  await simulator.control.freeze();
  await using ours = Child.node("bench/peers/poll-ours.ts", [simulator.url], { flags: FLAGS });
  await using bare = Child.node("bench/peers/poll-bare.ts", [simulator.url]);
  await Promise.all([ours.said(/ready/), bare.said(/ready/)]);
  const pollOf = (child: Child) => async () => (await child.ask<ProcessorTime>("poll")).cpuMs;
  const samples = await measureInTurns(
    {
      [BARE]: async () => {
        await simulator.control.stepMinute();
        return pollOf(bare)();
      },
      [OURS]: pollOf(ours),
    },
    rounds,
    WARM_UP,
  );
  await Promise.all([ours.stop(), bare.stop()]);
  const rows = rowsOf(samples, "ms", () => BARE);
  const withPage = await wholePolls(simulator, options);
  const ratiosWithPage = ratiosOf(withPage, samples[BARE]);
  return {
    part: "poll",
    size,
    title: "poll: processor time of a poll of all channels",
    rows: [
      ...rows,
      {
        ...rowOf(WITH_PAGE, "ms", withPage),
        ratio: { spread: ratiosWithPage, to: BARE },
      },
    ],
    budgets: forLarge<Budget>(options, [
      ratioBudget(
        "Processor time of a poll of all channels, to a bare loop of requests and `JSON.parse`",
        ratioOf(rows, OURS),
        MAX_POLL,
      ),
      ratioBudget("The same with the page rendered and compressed", ratiosWithPage.median, MAX_POLL_WITH_PAGE),
    ]),
    notes: [],
  };
}

async function wholePolls({ url, control }: SimulatedServer, { size, rounds, quick }: PartOptions): Promise<number[]> {
  const settings = {
    collectors: {
      ...{ health: ONCE, tree: ONCE, status: ONCE, limits: { ...ONCE, enabled: false } },
      channels: { schedule: quick ? "1s" : `${Math.ceil(size / 20_000)}s` },
      timeseries: { enabled: false },
    },
  };
  await using exporter = await startExporter({ server: url, settings });
  await exporter.ready();
  const values: number[] = [];
  await waitForPolls(control, WARM_UP);
  let before = await afterPoll();
  for (let round = 0; round < Math.max(3, rounds); round++) {
    await control.stepMinute();
    const after = await afterPoll();
    values.push(after - before);
    before = after;
  }
  return values;

  async function afterPoll(): Promise<number> {
    await waitForPolls(control, 1);
    return (await exporter.processorTime()).cpuMs;
  }
}
