import { setImmediate } from "node:timers";
import type { Clock } from "./clock.ts";

/** How long work may hold the event loop, and how many steps go by between looks at the clock. */
const SLICE_MS = 8;
const STEPS_PER_LOOK = 256;

/** Who waits for long work: the reader of a page, or only what is kept up to date. */
export type Lane = "reader" | "background";

/** While readers wait, one turn in so many is for the background: it must go on, too. */
const BACKGROUND_EVERY = 4;

interface QueuedWork {
  readonly lane: Lane | SharedLane;
  readonly goOn: () => void;
}

const queues: Readonly<Record<Lane, QueuedWork[]>> = { reader: [], background: [] };
let turns = 0;

/** The lane of work in the background that readers come to wait for: it is theirs for as long as one does. */
export class SharedLane {
  #readers = 0;

  get current(): Lane {
    return this.#readers > 0 ? "reader" : "background";
  }

  /** Has what is done in this lane go before the background, from now on until a reader has what it waits for. */
  async readerWaitsFor<Result>(result: () => Promise<Result>): Promise<Result> {
    this.#readers++;
    moveToReaders(this);
    try {
      return await result();
    } finally {
      this.#readers--;
    }
  }
}

/**
 * Waits until the event loop has looked after everything else. Of all the long work that waits like this, one piece is
 * done a turn, so that however much goes on at a time, a turn takes as long as the longest piece and not as all of them.
 * What a reader waits for goes first: with hundreds of servers, a scrape would else wait a turn for each of their answers
 * whenever it gives the event loop back. For work that knows how long its pieces take; otherwise see `TimeSlices`.
 */
export function yieldToEventLoop(lane: Lane | SharedLane = "background"): Promise<void> {
  return new Promise((resolve) => {
    queues[typeof lane === "string" ? lane : lane.current].push({ lane, goOn: resolve });
    if (queues.reader.length + queues.background.length === 1) setImmediate(goOn);
  });
}

function goOn(): void {
  const { reader, background } = queues;
  turns++;
  const isForReader = reader.length > 0 && (background.length === 0 || turns % BACKGROUND_EVERY !== 0);
  (isForReader ? reader : background).shift()?.goOn();
  if (reader.length + background.length > 0) setImmediate(goOn);
}

/** What waits in the lane already. */
function moveToReaders(lane: SharedLane): void {
  const { reader, background } = queues;
  for (const one of background.filter((each) => each.lane === lane)) {
    background.splice(background.indexOf(one), 1);
    reader.push(one);
  }
}

/** Since when work has held the event loop in this turn of it; undefined where none was counted. */
let turn: { readonly clock: Clock; readonly began: number } | undefined;

/**
 * To be called before each piece of work that is too small to be cut; wait for the promise, if there is one. Answers that have come
 * meanwhile, and commits that wait for each other, would else follow one another by the hundred, and a scrape behind them.
 */
export function shareTurn(clock: Clock, lane: Lane | SharedLane = "background"): Promise<void> | undefined {
  const now = clock.monotonic();
  if (turn?.clock !== clock) {
    turn = { clock, began: now };
    setImmediate(() => {
      turn = undefined;
    });
  }
  return now - turn.began < SLICE_MS ? undefined : yieldToEventLoop(lane);
}

/** Cuts long work into slices of 8 ms: scrapes and requests get the event loop in between. */
export class TimeSlices {
  readonly #clock: Clock;
  readonly #signal: AbortSignal | undefined;
  readonly #lane: Lane | SharedLane;
  readonly #stepsPerLook: number;
  #steps = 0;
  #sliceBegan: number;

  /**
   * `signal` ends the work between two slices: what is waited for rejects with its reason. `stepsPerLook`: more where steps are small
   * and a reader waits. Where others have the processor each look finds that the slice is over, and a turn can take half a second.
   */
  constructor(
    clock: Clock,
    signal?: AbortSignal,
    lane: Lane | SharedLane = "background",
    stepsPerLook: number = STEPS_PER_LOOK,
  ) {
    this.#clock = clock;
    this.#signal = signal;
    this.#lane = lane;
    this.#stepsPerLook = stepsPerLook;
    this.#sliceBegan = clock.monotonic();
  }

  /** Call after each small step; wait for the promise, if there is one. */
  step(): Promise<void> | undefined {
    this.#steps++;
    return this.#steps % this.#stepsPerLook === 0 ? this.longStep() : undefined;
  }

  /** As `step`, for steps that take long themselves. */
  longStep(): Promise<void> | undefined {
    if (this.#clock.monotonic() - this.#sliceBegan < SLICE_MS) return undefined;
    return this.#yield();
  }

  async #yield(): Promise<void> {
    await yieldToEventLoop(this.#lane);
    this.#signal?.throwIfAborted();
    this.#sliceBegan = this.#clock.monotonic();
  }
}

/** What long work calls after each small step; a test may count. */
export type Steps = Pick<TimeSlices, "step">;
