import { describe, expect, test } from "vitest";
import {
  badPill,
  goodPill,
  parentProblems,
  quietPill,
  shortTally,
  stateCounts,
  statePill,
  statusBar,
  statusCounts,
  statusPill,
  statusTally,
  warnPill,
} from "../../../../src/http/pages/status/status-marks.ts";
import { wordsOf } from "./reports.ts";

/** What a reader sees: tone, glyph and words. */
function seen(html: { toString(): string }): string {
  const [, tone = "", glyph = "", text = ""] =
    /class="pill (\w+)"><span [^>]*>(.*?)<\/span>(.*?)<\/span>$/.exec(html.toString()) ?? [];
  return `${tone} ${glyph} ${text}`;
}

describe("pills", () => {
  test.each([
    ["down", "bad ✕ Down"],
    ["disconnected", "bad ⊘ Disconnected"],
    ["warning", "warn ! Warning"],
    ["acknowledged", "known ✎ Acknowledged"],
    ["up", "good ✓ Up"],
    ["partialdown", "bad ◐ Partially down"],
    ["unusual", "warn ≈ Unusual"],
    ["pauseduntil", "still ‖ Paused until"],
    ["pausedbyuser", "still ‖ Paused by user"],
    ["pausedbydependency", "still ‖ Paused by dependency"],
    ["pausedbyschedule", "still ‖ Paused by schedule"],
    ["pausedbylicense", "still ‖ Paused by licence"],
    ["collecting", "still … Collecting"],
    ["none", "still – No status"],
    ["unknown", "blind ? Unknown"],
    [null, "blind ? Unknown"],
    ["ofanewerserver", "still • ofanewerserver"],
    ["toString", "still • toString"],
  ])("show the status %s as %s", (status, expected) => expect(seen(statusPill(status))).toBe(expected));

  test("show outcomes by tone and glyph", () => {
    expect([goodPill("x"), badPill("x"), warnPill("x"), quietPill("x"), quietPill("x", "–")].map(seen)).toEqual([
      "good ✓ x",
      "bad ✕ x",
      "warn ! x",
      "still … x",
      "still – x",
    ]);
  });

  test.each([
    ["unreachable", "bad ⊘ Not reachable"],
    ["failing", "bad ✕ Polls fail"],
    ["impaired", "warn ! Reachable, some polls fail"],
    ["starting", "still … Connecting"],
    ["working", "good ✓ Reachable"],
  ] as const)("show the state %s as %s", (state, expected) => expect(seen(statePill(state))).toBe(expected));
});

describe("counts", () => {
  test("of states have the worst first, and no zeros", () => {
    expect(wordsOf(stateCounts({ working: 1_200, failing: 1, impaired: 0 }))).toBe("✕ 1 Polls fail ✓ 1,200 Reachable");
  });

  test("of statuses have the worst first, no zeros, and links unless the status is new", () => {
    const html = statusCounts({ up: 5, ofanewerserver: 2, down: 1, warning: 0 }, "hq");
    expect(wordsOf(html)).toBe("✕ 1 Down ✓ 5 Up • 2 ofanewerserver");
    expect(html.toString().match(/<a /g)).toHaveLength(2);
    expect(html.toString()).toMatch(/href="[^"]*server=hq[^"]*"/);
  });

  test("in rows combine statuses with one glyph, or with one tone", () => {
    const counts = { up: 5, pausedbyuser: 2, pauseduntil: 1, down: 1, partialdown: 3, warning: 1, unusual: 1 };
    expect(wordsOf(statusTally(counts))).toBe(
      "✕ 1 Down, ◐ 3 Partially down, ! 1 Warning, ≈ 1 Unusual, ✓ 5 Up, ‖ 3 Paused,",
    );
    expect(wordsOf(shortTally({ ...counts, collecting: 1 }))).toBe(
      "✕ 4 Down, ! 2 Warning, ✓ 5 Up, ‖ 4 Paused or other,",
    );
    expect(wordsOf(statusTally({ unknown: 1, ofanewerserver: 2 }))).toBe("? 1 Unknown, • 2 ofanewerserver,");
    expect(wordsOf(statusTally({ pauseduntil: 1 }))).toBe("‖ 1 Paused until,");
  });

  test("of probes, groups and devices name their problems", () => {
    const none = { probe: {}, group: {}, device: {} };
    expect(parentProblems(none)).toEqual([]);
    expect(
      parentProblems({ ...none, probe: { disconnected: 1, up: 3 }, device: { down: 2, unknown: 7, warning: 0 } }),
    ).toEqual(["1 probe disconnected", "2 devices down"]);
  });
});

describe("bar", () => {
  const parts = (counts: Readonly<Record<string, number>>) =>
    [...(statusBar(counts)?.toString() ?? "").matchAll(/class="(\w+)" x="([\d.]+)" width="([\d.]+)"/g)].map((part) =>
      part.slice(1).join(" "),
    );

  test("has a part for each tone in proportion, the worst first", () => {
    expect(parts({ up: 500, down: 125, partialdown: 125, warning: 250 })).toEqual([
      "bad 0.0 250.0",
      "warn 250.0 250.0",
      "good 500.0 500.0",
    ]);
  });

  test("has a visible part for a single sensor of many", () => {
    expect(parts({ up: 99_999, down: 1 })[0]).toBe("bad 0.0 6.0");
  });

  test("is absent without sensors", () => {
    expect(statusBar({})).toBeUndefined();
    expect(statusBar({ up: 0 })).toBeUndefined();
  });
});
