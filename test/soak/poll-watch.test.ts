import { describe, expect, test } from "vitest";
import { PollWatch } from "../../soak/poll-watch.ts";

const answer = (at: number, list = "channels") => ({
  at,
  url: `/api/v2/experimental/${list}?limit=3000`,
  status: 200,
  faults: [],
});

describe("PollWatch", () => {
  test("tells of each gap once, in whatever order and however often the answers come", () => {
    const watch = new PollWatch(12_000);
    expect(watch.gaps([answer(8_000), answer(4_000), answer(0)])).toEqual([]);
    expect(watch.gaps([answer(8_000), answer(20_001)])).toEqual([12_001]);
    expect(watch.gaps([answer(8_000), answer(20_001), answer(32_001)])).toEqual([]);
    expect(watch.longestGapMs).toBe(12_001);
  });

  test("looks at channels only", () => {
    const watch = new PollWatch(12_000);
    expect(watch.gaps([answer(0), answer(10_000, "sensors"), answer(13_000)])).toEqual([13_000]);
  });
});
