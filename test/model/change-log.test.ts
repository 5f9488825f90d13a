import { describe, expect, it, vi } from "vitest";
import { ChangeLog, type ChangeLogOptions, KEPT_MS } from "../../src/model/change-log.ts";
import { type NodeWatcher, watchTogether } from "../../src/model/state-observer.ts";
import type { NodePoll } from "../../src/model/tree.ts";
import type { NodeRecord } from "../../src/prtg/node-record.ts";
import { monitoredState, wholePoll } from "../events/support/monitored-site.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { list, record } from "./build-record.ts";

function logging(options: Partial<ChangeLogOptions> = {}) {
  const clock = new ManualClock();
  const { state, poll } = monitoredState(clock);
  const log = new ChangeLog({ now: () => clock.now(), ...options });
  state.watchNodes(log);
  let shown = 0;
  return {
    ...{ clock, log, state },
    /** Polls, and returns the new changes. */
    poll: async (nodes: NodePoll) => {
      await poll(nodes);
      const changes = log.recent();
      const fresh = changes.slice(shown);
      shown = changes.length;
      return fresh.map(({ what, name, before }) => [what, name, ...(before === undefined ? [] : [before])].join(" "));
    },
  };
}

type Sensor = Partial<NodeRecord> & { readonly id: string };
const sensor = (status: NodeRecord["status"], more: Partial<Sensor> = {}): NodePoll =>
  wholePoll([{ id: "50", status, ...more }]);

describe("ChangeLog", () => {
  it("takes the first poll as no change, and begins with its end", async () => {
    const { poll, log, clock } = logging();
    expect(log.since).toBeUndefined();
    expect(await poll(sensor("down"))).toEqual([]);
    expect(log.since).toBe(clock.now());
    expect(await poll(sensor("down"))).toEqual([]);
  });

  it.each([
    ["up", "down", "down"],
    ["warning", "partialdown", "down"],
    ["up", "unknown", "unknown"],
    ["down", "acknowledged", "acknowledged"],
    ["acknowledged", "down", "down"],
    ["down", "up", "recovered"],
    ["unknown", "warning", "recovered"],
    ["acknowledged", "up", "recovered"],
    ["up", "pausedbyuser", "paused"],
    ["pausedbydependency", "up", "resumed"],
    ["pausedbyuser", "down", "down"],
  ] as const)("calls %s to %s %s", async (before, after, what) => {
    const { poll } = logging();
    await poll(sensor(before));
    expect(await poll(sensor(after))).toEqual([`${what} Ping 50`]);
  });

  it.each([
    ["up", "warning"],
    ["down", "partialdown"],
    ["pausedbyuser", "pauseduntil"],
    ["up", "collecting"],
  ] as const)("leaves out %s to %s", async (before, after) => {
    const { poll } = logging();
    await poll(sensor(before));
    expect(await poll(sensor(after))).toEqual([]);
  });

  it("leaves out the unknown status of a device, which its sensors have too", async () => {
    const { poll } = logging();
    await poll(sensor("up"));
    const device = list([record("device", "40", "1", { name: "Router", status: "unknown", host: "10.0.0.7" })]);
    expect(await poll({ ...sensor("unknown"), device })).toEqual(["unknown Ping 50"]);
    expect(await poll(sensor("up"))).toEqual(["recovered Ping 50"]);
  });

  it("uses the server's time of a change, unless it is old or in the future", async () => {
    const { poll, log, clock } = logging();
    const began = clock.now() - 30_000;
    await poll(sensor("up", { statusSince: began - 60_000 }));
    await poll(sensor("down", { statusSince: began }));
    await clock.advance(60_000);
    await poll(sensor("acknowledged", { statusSince: began }));
    await poll(sensor("up", { statusSince: clock.now() + 60_000 }));
    expect(log.recent().map(({ at }) => at)).toEqual([began, clock.now(), clock.now()]);
  });

  it("reports names and places, and objects that come and go", async () => {
    const { poll } = logging();
    await poll(sensor("up"));
    expect(await poll(sensor("up", { name: "Ping of the core" }))).toEqual(["renamed Ping of the core Ping 50"]);
    const two = wholePoll([
      { id: "50", status: "up", name: "Ping of the core" },
      { id: "51", status: "down" },
    ]);
    expect(await poll(two)).toEqual(["added Ping 51"]);
    expect(await poll(sensor("up", { name: "Ping of the core" }))).toEqual([]);
    expect(await poll(sensor("up", { name: "Ping of the core" }))).toEqual(["removed Ping 51"]);
    const moved = list([record("sensor", "50", "2", { name: "Ping of the core", status: "up" })]);
    expect(await poll({ ...sensor("up"), sensor: moved })).toEqual([
      "moved Ping of the core Local/Router/Ping of the core",
    ]);
  });

  it("forgets changes after some hours", async () => {
    const { poll, log, clock } = logging();
    await poll(sensor("up"));
    await poll(sensor("down"));
    await clock.advance(KEPT_MS);
    expect(log.recent()).toHaveLength(1);
    await clock.advance(1);
    expect(log.recent()).toEqual([]);
    expect(log.since).toBe(clock.now() - KEPT_MS);
  });

  it.each([
    ["number", { maxChanges: 100 }],
    ["size", { maxSize: 16_000 }],
  ])("drops the oldest changes beyond the %s, and says since when it is complete", async (_what, bound) => {
    const { poll, log, clock } = logging(bound);
    const all = (status: NodeRecord["status"]) =>
      wholePoll(Array.from({ length: 60 }, (_, index) => ({ id: String(100 + index), status })));
    await poll(all("up"));
    const first = clock.now();
    await poll(all("down"));
    expect(log.recent()).toHaveLength(60);
    await clock.advance(60_000);
    await poll(all("up"));
    expect(log.recent().length).toBeLessThanOrEqual(100);
    expect(log.recent().filter(({ what }) => what === "recovered")).toHaveLength(60);
    expect(log.since).toBe(first + 1);
  });
});

describe("watchTogether", () => {
  it("passes each call to both, in order", async () => {
    const calls: string[] = [];
    const watcher = (name: string): NodeWatcher => {
      const note = (what: string) => () => void calls.push(`${name} ${what}`);
      return {
        ...{ onPollStart: note("start"), onNodeRemoval: note("removal"), onNodeAddition: note("addition") },
        ...{ onNodeReplacement: note("replacement"), onNodeRecord: note("record"), onPollEnd: note("end") },
      };
    };
    const second = { ...watcher("b"), onStatusChange: vi.fn() };
    const { state, poll } = monitoredState(new ManualClock());
    state.watchNodes(watchTogether(watcher("a"), second));
    await poll(sensor("up"));
    expect(calls.slice(0, 4)).toEqual(["a start", "b start", "a addition", "b addition"]);
    expect(calls.slice(-2)).toEqual(["a end", "b end"]);
    await poll(sensor("down"));
    expect(second.onStatusChange).toHaveBeenCalledOnce();
  });
});
