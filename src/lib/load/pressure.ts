/** How busy a process was for a while; parts are from 0 to 1. */
export interface Load {
  /** Part of the time in which the event loop had something to do: it was measured, or waited for a processor. */
  readonly loop: number;
  /** Part of the time of all processors that the process may use. */
  readonly processor: number;
  /** Part of the largest heap that is in use, garbage included. */
  readonly heap: number;
  /** By which timers came late, 90th percentile, milliseconds. */
  readonly delayMs: number;
}

/** `steady`: neither is there time to spare, nor is there a lack of it. */
export type Pressure = "calm" | "steady" | "high";

/** Beyond any of these the process is busy: what comes to a loop that works for 70 % of the time waits for two others on average. */
const HIGH: Load = { loop: 0.7, processor: 0.85, heap: 0.85, delayMs: 100 };
/** Between the two nothing is changed, so that what follows from the pressure does not swing. */
const CALM: Load = { loop: 0.5, processor: 0.65, heap: 0.7, delayMs: 50 };
/** Of a new measurement; polls come in bursts of a second or two. */
const WEIGHT = 0.5;

const QUANTITIES = ["loop", "processor", "heap", "delayMs"] as const;

/** Says under what pressure a process is, by what was measured lately. */
export class PressureGauge {
  #load: Load = { loop: 0, processor: 0, heap: 0, delayMs: 0 };

  /** Of late. */
  get load(): Load {
    return this.#load;
  }

  get pressure(): Pressure {
    if (QUANTITIES.some((name) => this.#load[name] > HIGH[name])) return "high";
    return QUANTITIES.every((name) => this.#load[name] < CALM[name]) ? "calm" : "steady";
  }

  /** Takes over what was measured since the time before. Returns the pressure. */
  measured(load: Load): Pressure {
    const smooth = (name: keyof Load) => this.#load[name] + WEIGHT * (load[name] - this.#load[name]);
    this.#load = {
      loop: smooth("loop"),
      processor: smooth("processor"),
      heap: smooth("heap"),
      delayMs: smooth("delayMs"),
    };
    return this.pressure;
  }
}
