import { mix, uniform } from "../noise.ts";
import { DAY_MS } from "../sensors/trend.ts";

/** An event that happens to each node once in a period, at a random time and for a random length. */
export interface Recurrence {
  /** Source of randomness: recurrences with different keys are independent. */
  readonly key: number;
  /** Milliseconds. */
  readonly period: number;
  readonly minLength: number;
  readonly maxLength: number;
  /** Where an episode can be in its period: from 0 (at the start: nodes take turns) to 1 (anywhere). */
  readonly scatter: number;
}

/** With times in days. */
export function recurrenceInDays(
  key: number,
  period: number,
  minDays: number,
  maxDays: number,
  scatter: number,
): Recurrence {
  return {
    key,
    period: Math.round(period * DAY_MS),
    minLength: minDays * DAY_MS,
    maxLength: maxDays * DAY_MS,
    scatter,
  };
}

/** `start` belongs to it, `end` does not. Milliseconds since the epoch. */
export interface Episode {
  readonly start: number;
  readonly end: number;
  /** Source of randomness for its further properties. */
  readonly draw: number;
}

/** Multiples of these numbers fill the range from 0 to 1 evenly, however many there are. */
const STRIDES = [
  0.618_033_988_75, 0.754_877_666_25, 0.569_840_290_99, 0.819_172_513_4, 0.671_043_606_7, 0.549_700_477_9,
] as const;

/** The last episode that began at or before a given time. `spreadIndex` is the node's place among its kind. */
export function lastEpisode(recurrence: Recurrence, spreadIndex: number, salt: number, at: number): Episode {
  const phase = phaseOf(recurrence, spreadIndex);
  const cycle = Math.floor((at - phase) / recurrence.period);
  const episode = episodeOf(recurrence, salt, phase, cycle);
  return episode.start <= at ? episode : episodeOf(recurrence, salt, phase, cycle - 1);
}

/** When the first episode after a given time begins. */
export function nextStart(recurrence: Recurrence, spreadIndex: number, salt: number, at: number): number {
  const phase = phaseOf(recurrence, spreadIndex);
  const cycle = Math.floor((at - phase) / recurrence.period);
  const { start } = episodeOf(recurrence, salt, phase, cycle);
  return start > at ? start : episodeOf(recurrence, salt, phase, cycle + 1).start;
}

function phaseOf(recurrence: Recurrence, spreadIndex: number): number {
  return Math.floor(evenSpread(spreadIndex, recurrence.key) * recurrence.period);
}

/** A number from 0 to 1 for each spreadIndex; those of all seats together lie evenly, another way for each key. */
export function evenSpread(spreadIndex: number, key: number): number {
  const turn = spreadIndex * (STRIDES[key % STRIDES.length] ?? STRIDES[0]) + key * 0.137;
  return turn - Math.floor(turn);
}

function episodeOf(recurrence: Recurrence, salt: number, phase: number, cycle: number): Episode {
  const draw = mix(mix(salt, recurrence.key), cycle);
  const room = recurrence.scatter * (recurrence.period - recurrence.maxLength);
  const start = phase + cycle * recurrence.period + Math.round(room * uniform(draw, 1));
  // Short ones are more frequent than long ones.
  const length = recurrence.minLength + (recurrence.maxLength - recurrence.minLength) * uniform(draw, 2) ** 2;
  return { start, end: start + Math.round(length), draw };
}
