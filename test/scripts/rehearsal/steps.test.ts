import { expect, test } from "vitest";
import { Steps, until } from "../../../scripts/rehearsal/steps.ts";

function recorded(): { steps: Steps; text: () => string } {
  let [text, now] = ["", 0];
  const steps = new Steps(
    (part) => {
      text += part;
    },
    () => {
      now += 1_500;
      return now;
    },
  );
  return { steps, text: () => text };
}

test("prints steps with their times, and what was left out", async () => {
  const { steps, text } = recorded();
  expect(await steps.run("one", () => 1)).toBe(1);
  steps.end(["two: needs GitHub."]);
  expect(text()).toBe(
    "    seconds  step\nok      1.5  one\nok      4.5  all\n\nNot rehearsed:\n- two: needs GitHub.\n",
  );
});

test("ends with the first step that fails", async () => {
  const { steps, text } = recorded();
  await expect(steps.run("one", () => Promise.reject(new Error("broken")))).rejects.toThrow("broken");
  expect(text()).toContain("FAILED  1.5  one\n");
});

test("until gives the last error after its limit", async () => {
  await expect(until(0, () => Promise.reject(new Error("never")))).rejects.toThrow("never");
});
