import { setImmediate } from "node:timers";
import type { Clock } from "./clock.ts";

/** Maximum time of one slice, and steps between two checks. */
const SLICE_MS = 8;
const STEPS_PER_LOOK = 256;

/** Whether a reader of a page waits for the work. */
export type Lane = "reader" | "background";

/** While readers wait, every fourth turn is for the background. */
const BACKGROUND_EVERY = 4;

interface QueuedWork {
  readonly lane: Lane | SharedLane;
  readonly goOn: () => void;
}

const queues: Readonly<Record<Lane, QueuedWork[]>> = { reader: [], background: [] };
let turns = 0;

/** A lane of background work. It belongs to the readers while one waits for it. */
export class SharedLane {
  #readers = 0;

  get current(): Lane {
    return this.#readers > 0 ? "reader" : "background";
  }

  /** Gives the lane precedence until the reader has its result. */
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
 * Waits for the rest of the event loop. Only one waiting piece of work runs per turn, so that a turn takes as long as
 * one piece. Work for readers goes first. For pieces of known length. Otherwise use `TimeSlices`.
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

/** Moves work that already waits in the lane. */
function moveToReaders(lane: SharedLane): void {
  const { reader, background } = queues;
  for (const one of background.filter((each) => each.lane === lane)) {
    background.splice(background.indexOf(one), 1);
    reader.push(one);
  }
}

let turn: { readonly clock: Clock; readonly began: number } | undefined;

/**
 * Call before each small piece of work, and await the promise if there is one. Otherwise hundreds of answers or commits
 * would follow each other and delay scrapes.
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

/** Cuts long work into slices of 8 ms. */
export class TimeSlices {
  readonly #clock: Clock;
  readonly #signal: AbortSignal | undefined;
  readonly #lane: Lane | SharedLane;
  readonly #stepsPerLook: number;
  #steps = 0;
  #sliceBegan: number;

  /**
   * @param signal Ends the work between two slices.
   * @param stepsPerLook More for small steps that a reader waits for: on a busy machine a turn can take half a second.
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

  step(): Promise<void> | undefined {
    this.#steps++;
    return this.#steps % this.#stepsPerLook === 0 ? this.longStep() : undefined;
  }

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

export type Steps = Pick<TimeSlices, "step">;

/** Sorting so many items takes less than a millisecond. */
const RUN = 256;

type Compare<Item> = (a: Item, b: Item) => number;

/** A stable sort that lets the event loop run. */
export async function sortInSlices<Item>(
  items: readonly Item[],
  compare: Compare<Item>,
  slices: Pick<TimeSlices, "step" | "longStep">,
): Promise<Item[]> {
  let runs: Item[][] = [];
  for (let at = 0; at < items.length; at += RUN) {
    await slices.longStep();
    runs.push(items.slice(at, at + RUN).sort(compare));
  }
  while (runs.length > 1) {
    const merged: Item[][] = [];
    for (let at = 0; at < runs.length; at += 2) {
      merged.push(await merge(runs[at] ?? [], runs[at + 1] ?? [], compare, slices));
    }
    runs = merged;
  }
  return runs[0] ?? [];
}

async function merge<Item>(
  left: readonly Item[],
  right: readonly Item[],
  compare: Compare<Item>,
  slices: Pick<TimeSlices, "step">,
): Promise<Item[]> {
  const merged: Item[] = [];
  let next = 0;
  for (const item of left) {
    for (let other = right[next]; other !== undefined && compare(other, item) < 0; other = right[++next]) {
      merged.push(other);
    }
    merged.push(item);
    const turn = slices.step();
    if (turn !== undefined) await turn;
  }
  for (let other = right[next]; other !== undefined; other = right[++next]) merged.push(other);
  return merged;
}
