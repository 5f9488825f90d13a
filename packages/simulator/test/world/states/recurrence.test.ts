import { describe, expect, test } from "vitest";
import { lastEpisode, nextStart, recurrenceInDays } from "../../../src/world/states/recurrence.ts";
import { DAY, HOUR, moments, STARTED_AT } from "../fixtures.ts";

const RECURRENCES = [
  recurrenceInDays(1, 10, 0.5, 3, 0),
  recurrenceInDays(2, 10, 0.5, 3, 0.3),
  recurrenceInDays(3, 10, 0.5, 3, 1),
];

describe.each(RECURRENCES)("recurrence with a scatter of $scatter", (recurrence) => {
  test("has episodes without overlap and knows the last and the next one at every moment", () => {
    for (let salt = 1; salt < 6; salt++) {
      let previous = lastEpisode(recurrence, salt, salt, STARTED_AT);
      for (let at = STARTED_AT; at < STARTED_AT + 60 * DAY; at += 5 * HOUR) {
        const episode = lastEpisode(recurrence, salt, salt, at);
        const next = nextStart(recurrence, salt, salt, at);
        expect(episode.start).toBeLessThanOrEqual(at);
        expect(next).toBeGreaterThan(at);
        expect(lastEpisode(recurrence, salt, salt, next - 1)).toEqual(episode);
        expect(lastEpisode(recurrence, salt, salt, next).start).toBe(next);
        expect(episode.end - episode.start).toBeGreaterThanOrEqual(recurrence.minLength);
        expect(episode.end - episode.start).toBeLessThanOrEqual(recurrence.maxLength);
        if (episode.start !== previous.start) expect(episode.start).toBeGreaterThanOrEqual(previous.end);
        previous = episode;
      }
    }
  });
});

test("without scatter, nodes take turns and about the same number is active at any time", () => {
  const [recurrence] = RECURRENCES;
  const active = moments(30, 200).map((at) => {
    let count = 0;
    for (let seat = 0; seat < 500; seat++) {
      const { end } = recurrence === undefined ? { end: 0 } : lastEpisode(recurrence, seat, seat * 7919, at);
      if (at < end) count++;
    }
    return count;
  });
  // An episode lasts 1.33 of 10 days on average.
  for (const count of active) expect(Math.abs(count - 500 * 0.133)).toBeLessThan(20);
});
