import { expect, test } from "vitest";
import { SEVERITIES } from "../../src/events/event.ts";
import { changesBetween } from "../../src/events/event-records.ts";
import type { StatusToken } from "../../src/prtg/status.ts";

type Shown = readonly [status: StatusToken, since: number | undefined, lastDown?: number, lastUp?: number];

/** Reported status, list row, changes (old, new, time, `!` if inferred). */
const CASES: readonly (readonly [told: readonly [StatusToken, number | undefined], Shown, readonly string[]])[] = [
  [["up", 100], ["up", 100], []],
  [["up", 100], ["down", 200], ["up>down@200"]],
  [["up", 100], ["down", undefined], ["up>down@?"]],
  [["up", undefined], ["down", 200], ["up>down@200"]],
  // Acknowledged means down, which began when first seen.
  [["down", 100], ["acknowledged", 100], ["down>acknowledged@?"]],
  [["up", 100], ["down", 50], ["up>down@?"]],
  // An unreported other status in between.
  [["up", 100], ["up", 200], []],
  // Down in between.
  [
    ["up", 100],
    ["up", 200, 150],
    ["up>down@150!", "down>up@200!"],
  ],
  [
    ["down", 100],
    ["down", 200, 190, 150],
    ["down>up@150!", "up>down@200!"],
  ],
  [
    ["up", 100],
    ["warning", 200, 150],
    ["up>down@150!", "down>warning@200"],
  ],
  [
    ["pausedbyuser", 100],
    ["pausedbyuser", 200, 150, 130],
    ["pausedbyuser>up@130!", "up>down@150!", "down>pausedbyuser@200!"],
  ],
  // Down before, at the reported start, or at the shown one.
  [["up", 100], ["up", 200, 90], []],
  [["up", 100], ["up", 200, 100], []],
  [["up", 100], ["up", 200, 200], []],
  [["up", 100], ["pausedbyuser", 200, 90, 199], ["up>pausedbyuser@200"]],
  [["down", 100], ["up", 200, 199, 200], ["down>up@200"]],
  [["acknowledged", 100], ["down", 200, 199], ["acknowledged>down@200"]],
  // A warning may count as up.
  [["warning", 100], ["down", 200, 210, 150], ["warning>down@200"]],
  [["up", undefined], ["up", 200, 150], []],
  [["up", 100], ["up", undefined, 150], []],
];

test.each(CASES)("known %j, current %j: %j", ([status, since], [shown, shownSince, lastDown, lastUp], expected) => {
  const changes = changesBetween({ status, since }, shown, shownSince, { message: "why", lastDown, lastUp });
  expect(
    changes.map(({ from, to, at = "?", isInferred }) => `${from.status}>${to}@${at}${isInferred ? "!" : ""}`),
  ).toEqual(expected);
  // The message belongs to the shown status.
  expect(changes.map(({ message }) => message)).toEqual(
    changes.map((_, index) => (index === changes.length - 1 ? "why" : undefined)),
  );
});

// https://opentelemetry.io/docs/specs/otel/logs/data-model/#field-severitynumber
test("severities have the least number of their range", () => {
  expect(SEVERITIES).toEqual({ INFO: 9, WARN: 13, ERROR: 17 });
});
