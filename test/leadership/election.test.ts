import { describe, expect, test } from "vitest";
import { Election, type ElectionStep, type Lease } from "../../src/leadership/election.ts";

const TIMES = { leaseDurationMs: 10_000, renewDeadlineMs: 7_000, retryPeriodMs: 2_000 };

function lease(version: number, said: Partial<Lease> = {}): Lease {
  return {
    version: String(version),
    holder: undefined,
    isReleased: false,
    durationMs: 10_000,
    source: undefined,
    ...said,
  };
}

function contender(identity = "a"): Election {
  return new Election(identity, TIMES, () => 0);
}

/** Took a released Lease at time 0. */
function leader(): Election {
  const election = contender();
  election.found(lease(1, { isReleased: true }), 0);
  election.written(lease(2, { holder: "a" }), 0, 100);
  return election;
}

const READ: ElectionStep = { kind: "read" };
const LOST: ElectionStep = { kind: "lost" };

describe("standby", () => {
  test("reads the Lease every retry period and takes it if it did not change for its duration", () => {
    const election = contender();
    expect(election.next(0)).toEqual(READ);
    for (let now = 0; now < 10_000; now += 2_000) {
      election.found(lease(7, { holder: "b" }), now);
      expect(election.next(now)).toEqual({ kind: "wait", end: now + 2_000 });
      expect(election.next(now + 2_000)).toEqual(READ);
    }
    election.found(lease(7, { holder: "b" }), 10_000);
    expect(election.next(10_000)).toEqual({
      kind: "write",
      over: lease(7, { holder: "b" }),
      claim: { holder: "a", durationMs: 10_000, isTaken: true },
    });
    expect(election.holder).toBe("b");
    expect(election.isLeading(10_000)).toBe(false);
  });

  test("checks the Lease at its expiry instead of its next turn", () => {
    const election = contender();
    election.found(lease(7, { holder: "b" }), 0);
    election.found(lease(7, { holder: "b" }), 9_000);
    expect(election.next(9_000)).toEqual({ kind: "wait", end: 10_000 });
  });

  test("restarts its wait after each change by any client", () => {
    const election = contender();
    election.found(lease(7, { holder: "b" }), 0);
    election.found(lease(8, { holder: "b" }), 9_000);
    election.found(lease(8, { holder: "b" }), 18_999);
    expect(election.next(18_999)).toEqual({ kind: "wait", end: 19_000 });
  });

  test("waits for the duration of the Lease if that is longer", () => {
    const election = contender();
    election.found(lease(7, { holder: "b", durationMs: 30_000 }), 0);
    election.found(lease(7, { holder: "b", durationMs: 30_000 }), 29_000);
    expect(election.next(29_000)).toEqual({ kind: "wait", end: 30_000 });
  });

  test("immediately takes a released Lease, or its old one after a restart", () => {
    for (const known of [lease(3, { isReleased: true, durationMs: 1_000 }), lease(3, { holder: "a" })]) {
      const election = contender();
      election.found(known, 5);
      expect(election.next(5)).toMatchObject({ kind: "write", over: known, claim: { isTaken: known.holder !== "a" } });
    }
  });

  test("waits for an empty Lease, which can have a leader", () => {
    const election = contender();
    const blank = lease(3, { durationMs: undefined });
    election.found(blank, 0);
    election.found(blank, 9_999);
    expect(election.next(9_999)).toEqual({ kind: "wait", end: 10_000 });
    election.found(blank, 10_000);
    expect(election.next(10_000)).toMatchObject({ kind: "write", over: blank });
  });

  test("creates a missing Lease and waits for its duration", () => {
    const election = contender();
    election.found(undefined, 0);
    expect(election.next(0)).toEqual({ kind: "create" });
    election.found(lease(1, { durationMs: undefined }), 50);
    expect(election.next(50)).toEqual({ kind: "wait", end: 2_050 });
    election.found(lease(1, { durationMs: undefined }), 10_050);
    expect(election.next(10_050)).toMatchObject({ kind: "write" });
  });

  test("pauses after a failure or conflict, and reads before it writes again", () => {
    const election = contender();
    election.failed(0, 1_500);
    expect(election.next(1_500)).toEqual({ kind: "wait", end: 2_000 });
    expect(election.next(2_000)).toEqual(READ);
    election.found(lease(3, { isReleased: true }), 2_000);
    election.conflicted(2_010);
    expect(election.next(2_010)).toEqual({ kind: "wait", end: 4_010 });
    expect(election.next(4_010)).toEqual(READ);
  });

  test("reads again if it does not know what became of its write", () => {
    const election = contender();
    const free = lease(3, { isReleased: true });
    election.found(free, 0);
    expect(election.next(0)).toMatchObject({ kind: "write", over: free });
    election.failed(0, 100);
    expect(election.next(2_000)).toEqual(READ);
  });

  test("ignores a late acknowledgement and writes again", () => {
    const election = contender();
    election.found(lease(1, { isReleased: true }), 0);
    election.written(lease(2, { holder: "a" }), 0, 7_000);
    expect(election.isLeading(7_000)).toBe(false);
    expect(election.next(7_000)).toMatchObject({ kind: "write", over: lease(2, { holder: "a" }) });
  });
});

describe("leader", () => {
  test("counts its time from the request, not the acknowledgement", () => {
    const election = leader();
    expect(election.isLeading(6_999)).toBe(true);
    expect(election.isLeading(7_000)).toBe(false);
    expect(election.leadershipEnd).toBe(7_000);
  });

  test("renews its version without reading, and its time restarts", () => {
    const election = leader();
    expect(election.next(200)).toEqual({ kind: "wait", end: 2_000 });
    expect(election.next(2_000)).toEqual({
      kind: "write",
      over: lease(2, { holder: "a" }),
      claim: { holder: "a", durationMs: 10_000, isTaken: false },
    });
    election.written(lease(3, { holder: "a" }), 2_000, 2_010);
    expect(election.leadershipEnd).toBe(9_000);
  });

  test("retries conflicts immediately a limited number of times", () => {
    const election = leader();
    for (let version = 3; version < 6; version++) {
      election.conflicted(2_000);
      expect(election.next(2_000)).toEqual(READ);
      election.found(lease(version, { holder: "a" }), 2_000);
      expect(election.next(2_000)).toMatchObject({ kind: "write", over: { version: String(version) } });
    }
    election.conflicted(2_000);
    expect(election.next(2_000)).toEqual({ kind: "wait", end: 4_000 });
  });

  test("claims an emptied or removed Lease again", () => {
    for (const isGone of [true, false]) {
      const election = leader();
      election.conflicted(2_000);
      if (isGone) {
        election.found(undefined, 2_000);
        expect(election.next(2_000)).toEqual({ kind: "create" });
      }
      const known = lease(9, { durationMs: undefined });
      election.found(known, 2_000);
      expect(election.next(2_000)).toMatchObject({ kind: "write", over: known, claim: { isTaken: true } });
      expect(election.isLeading(2_000)).toBe(true);
    }
  });

  test("loses permanently at its deadline, also with a later answer", () => {
    const election = leader();
    expect(election.next(7_000)).toEqual(LOST);
    election.written(lease(3, { holder: "a" }), 6_900, 7_100);
    expect(election.next(7_100)).toEqual(LOST);
    expect(election.isLeading(7_100)).toBe(false);
    expect(election.leadershipEnd).toBeUndefined();
  });

  test("waits at most until its deadline", () => {
    const election = leader();
    election.failed(6_000, 6_100);
    expect(election.next(6_100)).toEqual({ kind: "wait", end: 7_000 });
  });

  test("writes again after a failure without reading", () => {
    const election = leader();
    election.failed(2_000, 4_300);
    expect(election.next(4_300)).toMatchObject({ kind: "write", over: { version: "2" } });
  });

  test("loses immediately if another replica has the Lease", () => {
    const election = leader();
    election.found(lease(9, { holder: "b" }), 2_000);
    expect(election.isLeading(2_000)).toBe(false);
    expect(election.next(2_000)).toEqual(LOST);
  });
});
