import type { Clock } from "./clock.ts";

export interface SimulatedTimeOptions {
  /** Real time. */
  readonly clock: Clock;
  /** When simulated time begins, milliseconds since the epoch; undefined: now. */
  readonly startAt?: number | undefined;
  /** Simulated seconds per real second; 1 by default. */
  readonly speed?: number | undefined;
  /** Time stands still from the beginning. */
  readonly frozen?: boolean | undefined;
}

/** Simulated time runs from `from` since the real time `since`, at a speed. */
interface Run {
  readonly from: number;
  /** By the monotonic clock. */
  readonly since: number;
}

export const MIN_SPEED = 0.01;
export const MAX_SPEED = 86_400;

/** Follows the wall clock until it gets a start or speed or is stopped, then the monotonic clock. */
export class SimulatedTime {
  readonly #clock: Clock;
  readonly #startsFrozen: boolean;
  #speed = 1;
  /** Undefined: it follows the wall clock. */
  #run: Run | undefined;
  #frozenAt: number | undefined;

  /** Throws a RangeError for a speed that cannot be. */
  constructor({ clock, startAt, speed = 1, frozen = false }: SimulatedTimeOptions) {
    this.#clock = clock;
    this.#startsFrozen = frozen;
    if (startAt === undefined && speed === 1 && !frozen) return;
    this.#frozenAt = startAt ?? clock.now();
    this.setSpeed(speed);
  }

  /** Begins to run, unless it starts frozen. Until then it stands at its beginning, unless it follows the wall clock. */
  start(): void {
    if (!this.#startsFrozen) this.resume();
  }

  /** Whole milliseconds since the epoch. */
  now(): number {
    if (this.#frozenAt !== undefined) return this.#frozenAt;
    if (this.#run === undefined) return this.#clock.now();
    return Math.floor(this.#run.from + (this.#clock.monotonic() - this.#run.since) * this.#speed);
  }

  get speed(): number {
    return this.#speed;
  }

  get frozen(): boolean {
    return this.#frozenAt !== undefined;
  }

  /** Goes on from the same simulated time at another speed. Throws a RangeError for one that cannot be. */
  setSpeed(speed: number): void {
    if (!(speed >= MIN_SPEED && speed <= MAX_SPEED)) {
      throw new RangeError(`the speed must be between ${MIN_SPEED} and ${MAX_SPEED} simulated seconds per second`);
    }
    if (this.#frozenAt === undefined) this.#runFrom(this.now());
    this.#speed = speed;
  }

  /** Stops at a given time; by default at the present one. */
  freeze(at: number = this.now()): void {
    this.#frozenAt = at;
  }

  /** Stops so many milliseconds later than it is. */
  step(ms: number): void {
    this.#frozenAt = this.now() + ms;
  }

  /** Runs on from where it was stopped. */
  resume(): void {
    if (this.#frozenAt === undefined) return;
    this.#runFrom(this.#frozenAt);
    this.#frozenAt = undefined;
  }

  /** Runs as if it had never been stopped. */
  release(): void {
    this.#frozenAt = undefined;
  }

  #runFrom(from: number): void {
    this.#run = { from, since: this.#clock.monotonic() };
  }
}
