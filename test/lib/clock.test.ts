import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, test } from "vitest";
import { onAbort, systemClock } from "../../src/lib/clock.ts";

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test("after: acts once, unless it is cancelled", async () => {
  const acted: string[] = [];
  const cancel = systemClock.after(1, () => acted.push("cancelled"));
  systemClock.after(2, () => acted.push("kept"));
  cancel();
  await systemClock.sleep(20);
  expect(acted).toEqual(["kept"]);
});

describe("onAbort", () => {
  test("acts once when the signal aborts", () => {
    const controller = new AbortController();
    const reasons: unknown[] = [];
    onAbort(controller.signal, () => reasons.push(controller.signal.reason));
    controller.abort("over");
    controller.abort("again");
    expect(reasons).toEqual(["over"]);
  });

  test("does nothing after cancellation", () => {
    const controller = new AbortController();
    let acted = 0;
    const forget = onAbort(controller.signal, () => acted++);
    const forgetToo = onAbort(controller.signal, () => acted++);
    forget();
    forget();
    controller.abort();
    forgetToo();
    expect(acted).toBe(1);
  });

  test("frees the references of a cancelled action", async () => {
    const { signal } = new AbortController();
    const kept: (() => void)[] = [];
    const answers: WeakRef<object>[] = [];
    const begin = (): void => {
      const answer = { body: "some answer" };
      answers.push(new WeakRef(answer));
      kept.push(onAbort(signal, () => void answer.body));
    };
    for (let index = 0; index < 5; index++) begin();
    await nextTurn();
    collectGarbage();
    expect(answers.filter((answer) => answer.deref() !== undefined)).toHaveLength(5);
    for (const forget of kept) forget();
    await nextTurn();
    collectGarbage();
    expect(answers.filter((answer) => answer.deref() !== undefined)).toEqual([]);
  });
});
