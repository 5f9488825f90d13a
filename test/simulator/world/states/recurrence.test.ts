import { describe, expect, test } from "vitest";
import { lastEpisode, nextStart, recurrenceInDays } from "../../../../src/simulator/world/states/recurrence.ts";
import { DAY, HOUR, moments, STARTED_AT } from "../fixtures.ts";

const ROTAS = [
  recurrenceInDays(1, 10, 0.5, 3, 0),
  recurrenceInDays(2, 10, 0.5, 3, 0.3),
  recurrenceInDays(3, 10, 0.5, 3, 1),
];

describe.each(ROTAS)("with a scatter of $scatter", (rota) => {
  test("episodes follow each other without overlap, and every moment knows the last one and the next", () => {
    for (let salt = 1; salt < 12; salt++) {
      let previous = lastEpisode(rota, salt, salt, STARTED_AT);
      for (let at = STARTED_AT; at < STARTED_AT + 60 * DAY; at += 5 * HOUR) {
        const episode = lastEpisode(rota, salt, salt, at);
        const next = nextStart(rota, salt, salt, at);
        expect(episode.start).toBeLessThanOrEqual(at);
        expect(next).toBeGreaterThan(at);
        expect(lastEpisode(rota, salt, salt, next - 1)).toEqual(episode);
        expect(lastEpisode(rota, salt, salt, next).start).toBe(next);
        expect(episode.end - episode.start).toBeGreaterThanOrEqual(rota.minLength);
        expect(episode.end - episode.start).toBeLessThanOrEqual(rota.maxLength);
        if (episode.start !== previous.start) expect(episode.start).toBeGreaterThanOrEqual(previous.end);
        previous = episode;
      }
    }
  });
});

test("without scatter the nodes take turns: about the same number is on at any time", () => {
  const [rota] = ROTAS;
  const active = moments(30, 200).map((at) => {
    let count = 0;
    for (let seat = 0; seat < 500; seat++) {
      const { end } = rota === undefined ? { end: 0 } : lastEpisode(rota, seat, seat * 7919, at);
      if (at < end) count++;
    }
    return count;
  });
  // An episode lasts 1.33 of 10 days on average.
  for (const count of active) expect(Math.abs(count - 500 * 0.133)).toBeLessThan(20);
});
