import { pino } from "pino";
import { beforeEach, expect, test } from "vitest";
import { Elector } from "../../src/leadership/elector.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { MemoryLease } from "./support/memory-lease.ts";

const TIMES = { leaseDurationMs: 10_000, renewDeadlineMs: 7_000, retryPeriodMs: 2_000 };

let clock: ManualClock;
let lease: MemoryLease;
let lines: string[];

beforeEach(() => {
  clock = new ManualClock();
  lease = new MemoryLease();
  lines = [];
});

interface Replica {
  readonly elector: Elector;
  readonly client: ReturnType<MemoryLease["client"]>;
  readonly told: string[];
}

function replica(name: string): Replica {
  const client = lease.client(name);
  const log = pino({ base: null, timestamp: false }, { write: (line: string) => void lines.push(line) });
  const elector = new Elector({ client, times: TIMES, identity: name, clock, random: () => 0, log });
  const told: string[] = [];
  void elector.elected.then(() => told.push("elected"));
  void elector.lost.then(() => told.push("lost"));
  elector.start();
  return { elector, client, told };
}

function messages(): unknown[] {
  return lines.map((line) => JSON.parse(line).msg);
}

test("one replica leads and renews, and the other knows the leader", async () => {
  lease.put({ isReleased: true });
  const a = replica("a");
  await clock.advance(0);
  const b = replica("b");
  await clock.advance(60_000);
  expect(a.told).toEqual(["elected"]);
  expect(b.told).toEqual([]);
  expect([a.elector.isLeading, b.elector.isLeading]).toEqual([true, false]);
  expect(b.elector.holder).toBe("a");
  expect(messages()).toEqual(["another replica is the leader"]);
  // Every two seconds. The leader does not read first.
  expect(lease.asked.filter((asked) => asked === "a reads")).toHaveLength(1);
  expect(lease.asked.filter((asked) => asked === "a writes")).toHaveLength(31);
  expect(lease.asked.filter((asked) => asked === "b writes")).toHaveLength(0);
});

test("a stopped leader releases the Lease, and the other leads within two seconds", async () => {
  lease.put({ isReleased: true });
  const a = replica("a");
  await clock.advance(0);
  const b = replica("b");
  await clock.advance(11_000);
  const stopped = a.elector.stop();
  await clock.advance(0);
  await stopped;
  expect(lease.lease).toMatchObject({ holder: undefined, isReleased: true, durationMs: 10_000 });
  expect([lease.transitions, a.client.isClosed]).toEqual([1, true]);
  await clock.advance(2_000);
  expect(b.told).toEqual(["elected"]);
});

test("a standby releases nothing", async () => {
  lease.put({ holder: "b" });
  const a = replica("a");
  await clock.advance(3_000);
  const stopped = a.elector.stop();
  await clock.advance(0);
  await stopped;
  expect(lease.lease).toMatchObject({ holder: "b" });
  expect(lease.asked).not.toContain("a writes");
});

test("a standby without a connection stops without a warning about the release", async () => {
  lease.put({ holder: "b" });
  const a = replica("a");
  await clock.advance(0);
  lease.faults.set("a", new Error("ECONNREFUSED"));
  await a.elector.stop();
  expect(messages()).toEqual(["another replica is the leader"]);
});

test.each<Error | "hang">([new Error("ECONNREFUSED"), "hang"])(
  "a leader that cannot renew (%s) loses at its deadline, before the other leads",
  async (fault) => {
    lease.put({ isReleased: true });
    const a = replica("a");
    await clock.advance(0);
    const b = replica("b");
    await clock.advance(10_100);
    lease.faults.set("a", fault);
    // The last renewal was at 10 s.
    await clock.advance(6_800);
    expect([a.elector.isLeading, a.told]).toEqual([true, ["elected"]]);
    await clock.advance(100);
    expect([a.elector.isLeading, a.told]).toEqual([false, ["elected", "lost"]]);
    expect(b.told).toEqual([]);
    // b saw the last renewal at 10 s and waits 10 s.
    await clock.advance(3_100);
    expect(b.told).toEqual(["elected"]);
  },
);

test("an answer counts even if the process is too busy to read it in time", async () => {
  lease.put({ isReleased: true });
  const a = replica("a");
  await clock.advance(1_900);
  let answer: () => void = () => undefined;
  lease.hold = new Promise((resolve) => {
    answer = resolve;
  });
  await clock.advance(200);
  // The request's timer fires a second late, before the answer.
  clock.skip(3_300);
  await clock.advance(0);
  answer();
  lease.hold = undefined;
  await clock.advance(100);
  expect([a.elector.isLeading, messages()]).toEqual([true, []]);
});

test("the end does not wait for a hanging request", async () => {
  lease.put({ isReleased: true });
  const a = replica("a");
  await clock.advance(1_000);
  lease.faults.set("a", "hang");
  await clock.advance(1_500);
  const stopped = a.elector.stop();
  await clock.advance(2_000);
  await stopped;
  expect(messages()).toEqual(["the Lease cannot be released: standbys wait until it expires"]);
});

test("the end releases a renewal that was written before its abort", async () => {
  lease.put({ isReleased: true });
  const a = replica("a");
  await clock.advance(1_000);
  // Others changed it, so its known version is outdated.
  lease.put({ holder: "a" });
  const stopped = a.elector.stop();
  await clock.advance(0);
  await stopped;
  expect(lease.lease).toMatchObject({ isReleased: true });
});

test("the log reports a fault once, and its end", async () => {
  lease.put({ holder: "b" });
  const a = replica("a");
  await clock.advance(0);
  lease.faults.set("a", new Error("forbidden"));
  await clock.advance(60_000);
  lease.faults.clear();
  await clock.advance(3_000);
  expect(messages()).toEqual([
    "another replica is the leader",
    "the Lease cannot be read or written",
    "the Lease can be read and written again",
  ]);
  const stopped = a.elector.stop();
  await clock.advance(0);
  await stopped;
});

test("does not release a Lease that another replica has taken", async () => {
  lease.put({ isReleased: true });
  const a = replica("a");
  await clock.advance(1_000);
  lease.put({ holder: "b" });
  const stopped = a.elector.stop();
  await clock.advance(0);
  await stopped;
  expect(lease.lease).toMatchObject({ holder: "b", isReleased: false });
});

test("releases a Lease that changes while it is released", async () => {
  lease.put({ isReleased: true });
  const a = replica("a");
  await clock.advance(1_000);
  const { write } = a.client;
  a.client.write = (...request) => {
    a.client.write = write;
    lease.put({ holder: "a" });
    return write(...request);
  };
  const stopped = a.elector.stop();
  await clock.advance(0);
  await stopped;
  expect(lease.lease).toMatchObject({ isReleased: true });
  expect(messages()).toEqual(["the Lease was released"]);
});
