import { onAbort } from "../abort.ts";
import type { Clock } from "../clock.ts";
import { adaptAtOnce, adaptRate, FIRST_RATE, MIN_AT_ONCE } from "./adaptive-rate.ts";
import type { Pressure } from "./pressure.ts";

/** How often those that wait are looked at, milliseconds. */
const LOOK_EVERY_MS = 50;

/** Pages that follow one another, or a reader that is slow, hold nothing up for longer, milliseconds. */
export const MAX_GIVEN_WAY_MS = 500;

/** A unit of work that can wait. */
export interface ExtraRequest {
  /** Who asks, for the figures. */
  readonly collector: string;
  /** For how long what it brings has been missing, milliseconds: the oldest goes first. Infinity: before all. */
  readonly ageMs: number;
  /** Requests to a server that it takes. */
  readonly cost: number;
  /** It does not wait beyond then, monotonic milliseconds. */
  readonly until: number;
}

/** The unit may begin. */
export interface Leave {
  /** It is over. Further calls do nothing. */
  end(): void;
}

/** What collectors of extras work with. */
export type Extras = Pick<ExtraWork, "ask" | "deferred">;

interface Waiting extends ExtraRequest {
  /** Since when it has been missing, monotonic milliseconds. */
  readonly since: number;
  readonly decide: (isAllowed: boolean) => void;
}

/**
 * The work of a process that gives way to everything else: each unit asks for leave. All who ask wait in one queue, in
 * which the oldest gap comes first, whichever server it is of. How many may go in a second follows the pressure.
 */
export class ExtraWork {
  readonly #clock: Clock;
  /** In the order in which they asked. */
  readonly #waiting = new Set<Waiting>();
  readonly #deferred = new Map<string, number>();
  #atOnce = 0;
  #maxAtOnce = MIN_AT_ONCE;
  #rate = FIRST_RATE;
  /** Requests that may begin now; below 0 after a unit of many. */
  #tokens = 1;
  #filledAt: number;
  #used = 0;
  #isWanted = false;
  /** Until the load is measured, as with a single poll, nothing is held back but for how much is under way. */
  #isMeasured = false;
  #looking = false;
  #isCalm = true;
  /** None that waits may wait for less long. Monotonic milliseconds. */
  #firstUntil = Number.POSITIVE_INFINITY;
  /** Pages that are being sent, and since when there has been one, monotonic milliseconds. */
  #pages = 0;
  #pagesSince = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#filledAt = clock.monotonic();
  }

  /** Requests that may begin in a second. */
  get rate(): number {
    return this.#rate;
  }

  waiting(collector: string): number {
    let count = 0;
    for (const each of this.#waiting) if (each.collector === collector) count++;
    return count;
  }

  /**
   * Resolves when the unit may begin; with undefined where it would have to wait for longer than it may.
   * @throws the signal's reason when it aborts
   */
  async ask(request: ExtraRequest, signal: AbortSignal): Promise<Leave | undefined> {
    signal.throwIfAborted();
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const waiting = { ...request, since: this.#clock.monotonic() - request.ageMs, decide: resolve };
    this.#waiting.add(waiting);
    this.#firstUntil = Math.min(this.#firstUntil, request.until);
    const forget = onAbort(signal, () => this.#decide(waiting, false));
    this.#look();
    const isAllowed = await promise;
    forget();
    if (isAllowed) return this.#leave();
    signal.throwIfAborted();
    return undefined;
  }

  /** So many units of a collector were left for a later run, as there was no time for them. */
  deferred(collector: string, units: number): void {
    if (units > 0) this.#deferred.set(collector, this.deferredBy(collector) + units);
  }

  /** Since the start. */
  deferredBy(collector: string): number {
    return this.#deferred.get(collector) ?? 0;
  }

  /**
   * A page is being sent until this settles: unless there is time to spare, no unit begins meanwhile. Each step of the page would else
   * wait for the answers that come in between.
   */
  giveWayTo(sent: Promise<unknown>): void {
    if (this.#pages === 0) this.#pagesSince = this.#clock.monotonic();
    this.#pages++;
    const end = () => {
      this.#pages--;
      this.#look();
    };
    sent.then(end, end);
  }

  /** To be called each second, with the pressure that the process is under. */
  adapt(pressure: Pressure): void {
    this.#isMeasured = true;
    this.#isCalm = pressure === "calm";
    const demand = { pressure, used: this.#used, isWanted: this.#isWanted };
    this.#rate = adaptRate(this.#rate, demand);
    this.#maxAtOnce = adaptAtOnce(this.#maxAtOnce, demand);
    this.#used = 0;
    this.#isWanted = this.#waiting.size > 0;
  }

  #leave(): Leave {
    let isOver = false;
    return {
      end: () => {
        if (isOver) return;
        isOver = true;
        this.#atOnce--;
        this.#look();
      },
    };
  }

  #look(): void {
    this.#fill();
    while (this.#mayBegin()) {
      const next = this.#oldest();
      if (next === undefined) return;
      if (this.#isMeasured) this.#tokens -= next.cost;
      this.#used += next.cost;
      this.#atOnce++;
      this.#decide(next, true);
    }
    if (this.#waiting.size === 0) return;
    this.#isWanted = true;
    const now = this.#clock.monotonic();
    if (now >= this.#firstUntil) this.#refuseLate(now);
    if (this.#waiting.size > 0 && !this.#looking) void this.#lookRegularly();
  }

  #mayBegin(): boolean {
    const isGivingWay =
      this.#pages > 0 && !this.#isCalm && this.#clock.monotonic() - this.#pagesSince < MAX_GIVEN_WAY_MS;
    return !isGivingWay && (this.#tokens > 0 || !this.#isMeasured) && this.#atOnce < this.#maxAtOnce;
  }

  async #lookRegularly(): Promise<void> {
    this.#looking = true;
    while (this.#waiting.size > 0) {
      await this.#clock.sleep(LOOK_EVERY_MS);
      this.#look();
    }
    this.#looking = false;
  }

  #fill(): void {
    const now = this.#clock.monotonic();
    const seconds = (now - this.#filledAt) / 1_000;
    this.#filledAt = now;
    // What was not used is not saved up, but for the time between two looks.
    const most = Math.max(1, (2 * this.#rate * LOOK_EVERY_MS) / 1_000);
    this.#tokens = Math.min(most, this.#tokens + this.#rate * seconds);
  }

  #refuseLate(now: number): void {
    this.#firstUntil = Number.POSITIVE_INFINITY;
    for (const each of this.#waiting) {
      if (each.until <= now) this.#decide(each, false);
      else this.#firstUntil = Math.min(this.#firstUntil, each.until);
    }
  }

  #oldest(): Waiting | undefined {
    let oldest: Waiting | undefined;
    for (const each of this.#waiting) if (oldest === undefined || each.since < oldest.since) oldest = each;
    return oldest;
  }

  #decide(waiting: Waiting, isAllowed: boolean): void {
    this.#waiting.delete(waiting);
    waiting.decide(isAllowed);
  }
}
