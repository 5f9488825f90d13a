import { describe, expect, test } from "vitest";
import { waitFor, withDeadline } from "../../src/lib/deadline.ts";
import { rejection } from "../prtg/support/test-client.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { never } from "../support/never-aborted.ts";

function endless(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener("abort", () => reject(new Error("some error of a library")), { once: true });
  });
}

describe("withDeadline", () => {
  const expired = (): Error => new Error("time is over");

  test("returns the result and leaves nothing behind", async () => {
    const clock = new ManualClock();
    expect(await withDeadline({ clock, ms: 50, parents: [never], expired }, async () => "done")).toBe("done");
    await clock.advance(0);
    expect(clock.pending).toEqual([]);
  });

  test("ends slow work with its error", async () => {
    const clock = new ManualClock();
    const failed = rejection(withDeadline({ clock, ms: 50, parents: [never], expired }, endless));
    await clock.advance(50);
    expect((await failed).message).toBe("time is over");
  });

  test("extends the time once if the program was too busy", async () => {
    const manual = new ManualClock();
    let busyMs = 0;
    const waited: number[] = [];
    const clock = {
      now: () => manual.now(),
      monotonic: () => manual.monotonic() + busyMs,
      sleep: (ms: number, signal?: AbortSignal) => manual.sleep(ms, signal),
      after: (ms: number, act: () => void) => {
        waited.push(ms);
        return manual.after(ms, act);
      },
    };
    const answer = Promise.withResolvers<string>();
    const answered = withDeadline({ clock, ms: 1_000, parents: [never], expired }, () => answer.promise);
    busyMs = 400;
    await manual.advance(1_000);
    answer.resolve("read late");
    expect(await answered).toBe("read late");
    const failed = rejection(withDeadline({ clock, ms: 1_000, parents: [never], expired }, endless));
    busyMs += 3_600_000;
    await manual.advance(1_999);
    expect(clock.monotonic()).toBeGreaterThan(3_600_000);
    await manual.advance(1);
    expect((await failed).message).toBe("time is over");
    expect(waited).toEqual([1_000, 400, 1_000, 1_000]);
  });

  test.each([0, 1])("ends work with the reason of parent %i", async (which) => {
    const parents = [new AbortController(), new AbortController()];
    const signals = parents.map(({ signal }) => signal);
    const failed = rejection(withDeadline({ clock: new ManualClock(), ms: 50, parents: signals, expired }, endless));
    const reason = new Error("the program ends");
    parents[which]?.abort(reason);
    expect(await failed).toBe(reason);
  });

  test("does not start if a parent has aborted", async () => {
    const reason = new Error("the program ends");
    let begun = false;
    const deadline = { clock: new ManualClock(), ms: 50, parents: [never, AbortSignal.abort(reason)], expired };
    const work = async (): Promise<void> => {
      begun = true;
    };
    expect(await rejection(withDeadline(deadline, work))).toBe(reason);
    expect(begun).toBe(false);
  });

  test("returns the error of the work", async () => {
    const error = new Error("broken");
    const work = (): Promise<never> => Promise.reject(error);
    const deadline = { clock: new ManualClock(), ms: 50, parents: [], expired };
    expect(await rejection(withDeadline(deadline, work))).toBe(error);
  });
});

describe("waitFor", () => {
  test("ends one wait by its signal, and continues the work for others", async () => {
    const work = Promise.withResolvers<string>();
    const impatient = new AbortController();
    const first = rejection(waitFor(work.promise, impatient.signal));
    const second = waitFor(work.promise, never);
    const reason = new Error("no longer wanted");
    impatient.abort(reason);
    expect(await first).toBe(reason);
    work.resolve("done");
    expect(await second).toBe("done");
  });

  test("ignores failures after all waits have ended", async () => {
    const work = Promise.withResolvers<string>();
    const reason = new Error("no longer wanted");
    expect(await rejection(waitFor(work.promise, AbortSignal.abort(reason)))).toBe(reason);
    // Vitest fails on an unhandled rejection.
    work.reject(new Error("broken"));
    await new Promise((resolve) => setImmediate(resolve));
  });
});
