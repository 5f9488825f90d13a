/** Processor time of a poll of all channels, with and without the page, compared with bare requests and `JSON.parse`. */
import { setTimeout as sleep } from "node:timers/promises";
import { FLAGS } from "../../bin/node-settings.js";
import { Child } from "../processes/child.ts";
import { ONCE, startExporter } from "../processes/exporter.ts";
import type { ProcessorTime } from "../processes/probe.ts";
import { startSimulator } from "../processes/simulator.ts";
import { waitForPolls } from "../processes/wait-for-polls.ts";
import { type Budget, type PartResult, ratioBudget } from "../results/result.ts";
import { measureInTurns } from "../statistics.ts";
import { forLarge, type PartOptions } from "./part.ts";
import { ratioOf, rowsOf } from "./rows.ts";

const OURS = "poll of all channels";
const BARE = "bare loop of requests and JSON.parse";
const WITH_PAGE = "the same with the page rendered and compressed";
const MAX_POLL = 2;
const MAX_POLL_WITH_PAGE = 2.5;
const WARM_UP = 2;
/** Of the time between two polls. */
const BUSY_SHARE = 0.4;

export async function benchPoll(options: PartOptions): Promise<PartResult> {
  const { size, rounds, quick } = options;
  await using simulator = await startSimulator(size);
  const { control } = simulator;
  await control.freeze();
  await using ours = Child.node("bench/peers/poll-ours.ts", [simulator.url], { flags: FLAGS });
  await using bare = Child.node("bench/peers/poll-bare.ts", [simulator.url]);
  await Promise.all([ours.said(/ready/), bare.said(/ready/)]);
  const everyMs = quick ? 1_000 : Math.ceil(size / 13_000) * 1_000;
  await using exporter = await startExporter({ server: simulator.url, settings: settingsWith(`${everyMs / 1_000}s`) });
  await exporter.ready();
  let beforePoll = 0;
  const pollOf = (child: Child) => async () => (await child.ask<ProcessorTime>("poll")).cpuMs;
  const samples = await measureInTurns(
    {
      [BARE]: async () => {
        await control.stepMinute();
        return pollOf(bare)();
      },
      [OURS]: pollOf(ours),
      [WITH_PAGE]: async () => {
        await waitForPolls(control, 1);
        const before = beforePoll;
        beforePoll = (await exporter.processorTime()).cpuMs;
        // The others run when this poll and its page are over.
        await sleep(everyMs * BUSY_SHARE);
        return beforePoll - before;
      },
    },
    rounds,
    WARM_UP,
  );
  await Promise.all([ours.stop(), bare.stop()]);
  const rows = rowsOf(samples, "ms", () => BARE);
  return {
    part: "poll",
    size,
    title: "poll: processor time of a poll of all channels",
    rows,
    budgets: forLarge<Budget>(options, [
      ratioBudget(
        "Processor time of a poll of all channels, to a bare loop of requests and `JSON.parse`",
        ratioOf(rows, OURS),
        MAX_POLL,
      ),
      ratioBudget("The same with the page rendered and compressed", ratioOf(rows, WITH_PAGE), MAX_POLL_WITH_PAGE),
    ]),
    notes: [],
  };
}

function settingsWith(schedule: string): object {
  const collectors = { health: ONCE, tree: ONCE, status: ONCE, limits: { ...ONCE, enabled: false } };
  return { collectors: { ...collectors, channels: { schedule }, timeseries: { enabled: false } } };
}
