import { syncBuiltinESMExports } from "node:module";
import timers from "node:timers";
import timersPromises from "node:timers/promises";

type Callback = (...args: readonly unknown[]) => void;

const nextTurn = timers.setImmediate;
const MAX_DELAY_MS = 2 ** 31 - 1;

/** Advances on command. */
export class VirtualTime {
  #now: number;
  readonly #startedAt: number;
  readonly #timers = new Set<VirtualTimer>();
  #sequence = 0;
  readonly #keepAlive: (needed: boolean) => void;

  constructor(now: number, keepAlive: (needed: boolean) => void) {
    this.#now = now;
    this.#startedAt = now;
    this.#keepAlive = keepAlive;
  }

  get now(): number {
    return this.#now;
  }

  get elapsed(): number {
    return this.#now - this.#startedAt + 100;
  }

  get next(): number | undefined {
    return this.#first()?.due;
  }

  /** Of timers that keep the process alive. */
  get nextRef(): number | undefined {
    return this.#first((timer) => timer.hasRef())?.due;
  }

  /** In order, each in its own event-loop turn. */
  async advanceTo(moment: number): Promise<number> {
    let fired = 0;
    for (let timer = this.#first(); timer !== undefined && timer.due <= moment; timer = this.#first()) {
      this.#now = Math.max(this.#now, timer.due);
      fired++;
      timer.fire();
      await new Promise<void>((resolve) => void nextTurn(resolve));
    }
    this.#now = Math.max(this.#now, moment);
    return fired;
  }

  add(callback: () => void, ms: unknown, repeats: boolean): VirtualTimer {
    const timer = new VirtualTimer(this, callback, delayOf(ms), repeats);
    timer.refresh();
    return timer;
  }

  schedule(timer: VirtualTimer): number {
    this.#timers.add(timer);
    this.refsChanged();
    return ++this.#sequence;
  }

  drop(timer: VirtualTimer): void {
    if (this.#timers.delete(timer)) this.refsChanged();
  }

  has(timer: VirtualTimer): boolean {
    return this.#timers.has(timer);
  }

  byId(id: number): VirtualTimer | undefined {
    return [...this.#timers].find((timer) => timer.id === id);
  }

  refsChanged(): void {
    this.#keepAlive([...this.#timers].some((timer) => timer.hasRef()));
  }

  #first(isMeant: (timer: VirtualTimer) => boolean = () => true): VirtualTimer | undefined {
    let first: VirtualTimer | undefined;
    for (const timer of this.#timers) {
      if (!isMeant(timer)) continue;
      if (first === undefined || timer.due < first.due || (timer.due === first.due && timer.order < first.order)) {
        first = timer;
      }
    }
    return first;
  }
}

let ids = 0;

class VirtualTimer {
  readonly id = ++ids;
  due = 0;
  order = 0;
  readonly #time: VirtualTime;
  readonly #callback: () => void;
  readonly #ms: number;
  readonly #repeats: boolean;
  #isRef = true;

  constructor(time: VirtualTime, callback: () => void, ms: number, repeats: boolean) {
    this.#time = time;
    this.#callback = callback;
    this.#ms = ms;
    this.#repeats = repeats;
  }

  fire(): void {
    if (this.#repeats) this.refresh();
    else this.#time.drop(this);
    this.#callback();
  }

  refresh(): this {
    this.due = this.#time.now + this.#ms;
    this.order = this.#time.schedule(this);
    return this;
  }

  close(): this {
    this.#time.drop(this);
    return this;
  }

  ref(): this {
    this.#isRef = true;
    this.#time.refsChanged();
    return this;
  }

  unref(): this {
    this.#isRef = false;
    this.#time.refsChanged();
    return this;
  }

  hasRef(): boolean {
    return this.#isRef;
  }

  [Symbol.toPrimitive](): number {
    return this.id;
  }

  [Symbol.dispose](): void {
    this.close();
  }
}

function delayOf(ms: unknown): number {
  const number = Number(ms);
  return number >= 1 && number <= MAX_DELAY_MS ? Math.trunc(number) : 1;
}

/** Replaces Date, performance.now, process.hrtime, process.uptime and all timers. */
export function installTime(time: VirtualTime): void {
  installClocks(time);
  const setTimeout = (callback: Callback, ms?: unknown, ...args: readonly unknown[]) =>
    time.add(() => callback(...args), ms, false);
  const setInterval = (callback: Callback, ms?: unknown, ...args: readonly unknown[]) =>
    time.add(() => callback(...args), ms, true);
  const clear = (timer: unknown) => {
    if (timer instanceof VirtualTimer) timer.close();
    else if (timer !== undefined && timer !== null) time.byId(Number(timer))?.close();
  };
  const sleep = sleepOf(time);
  Object.defineProperty(setTimeout, Symbol.for("nodejs.util.promisify.custom"), { value: sleep });
  const replaced = { setTimeout, setInterval, clearTimeout: clear, clearInterval: clear };
  Object.assign(globalThis, replaced);
  Object.assign(timers, replaced);
  Object.assign(timersPromises, { setTimeout: sleep, setInterval: ticksOf(sleep) });
  Object.assign(timersPromises.scheduler, {
    wait: (ms?: number, options?: SleepOptions) => sleep(ms, undefined, options),
  });
  AbortSignal.timeout = (ms) => {
    const controller = new AbortController();
    const expire = () => controller.abort(new DOMException("The operation was aborted due to timeout", "TimeoutError"));
    time.add(expire, ms, false).unref();
    return controller.signal;
  };
  syncBuiltinESMExports();
}

interface SleepOptions {
  readonly signal?: AbortSignal;
  readonly ref?: boolean;
}

function sleepOf(time: VirtualTime) {
  return <Value>(ms?: number, value?: Value, { signal, ref = true }: SleepOptions = {}) =>
    new Promise<Value | undefined>((resolve, reject) => {
      const aborted = () => {
        timer?.close();
        reject(Object.assign(new Error("The operation was aborted", { cause: signal?.reason }), ABORTED));
      };
      let timer: VirtualTimer | undefined;
      if (signal?.aborted) return aborted();
      timer = time.add(
        () => {
          signal?.removeEventListener("abort", aborted);
          resolve(value);
        },
        ms,
        false,
      );
      if (!ref) timer.unref();
      signal?.addEventListener("abort", aborted, { once: true });
    });
}

const ABORTED = { name: "AbortError", code: "ABORT_ERR" };

function ticksOf(sleep: ReturnType<typeof sleepOf>) {
  return async function* <Value>(ms?: number, value?: Value, options?: SleepOptions) {
    for (;;) yield await sleep(ms, value, options);
  };
}

function installClocks(time: VirtualTime): void {
  const RealDate = Date;
  RealDate.now = () => time.now;
  /** A subclass may extend Date. */
  const isOwn = (made: unknown): made is typeof VirtualDate => typeof made === "function" && made !== VirtualDate;
  const VirtualDate: DateConstructor = new Proxy(RealDate, {
    apply: () => new RealDate(time.now).toString(),
    construct: (target, args: readonly unknown[], newTarget: unknown) =>
      Reflect.construct(target, args.length === 0 ? [time.now] : args, isOwn(newTarget) ? newTarget : target),
  });
  Object.defineProperty(RealDate.prototype, "constructor", { value: VirtualDate });
  Object.assign(globalThis, { Date: VirtualDate });
  Object.defineProperty(performance, "now", { value: () => time.elapsed });
  Object.defineProperty(performance, "timeOrigin", { value: time.now - time.elapsed });
  const hrtime = (since: readonly [number, number] = [0, 0]): [number, number] => {
    const nanoseconds = BigInt(time.elapsed) * 1_000_000n - BigInt(since[0]) * 1_000_000_000n - BigInt(since[1]);
    return [Number(nanoseconds / 1_000_000_000n), Number(nanoseconds % 1_000_000_000n)];
  };
  process.hrtime = Object.assign(hrtime, { bigint: () => BigInt(time.elapsed) * 1_000_000n });
  process.uptime = () => time.elapsed / 1_000;
}
