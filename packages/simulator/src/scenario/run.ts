/** One step of a scenario that is running. */
export interface ScenarioStep {
  /** When it happens, for the first time; milliseconds since the epoch. */
  readonly at: number;
  /** What happens to how many objects, in words. */
  readonly text: string;
}

/** A step that changes the tree or the faults. Such a change is made when its time has come, not ahead. */
export interface TimedChange {
  readonly at: number;
  readonly step: ScenarioStep;
  readonly apply: () => void;
}

export interface ScenarioRunOptions {
  readonly name: string;
  /** When it began; milliseconds since the epoch. */
  readonly begin: number;
  readonly steps: readonly ScenarioStep[];
  /** In order of time. */
  readonly changes: readonly TimedChange[];
  /** Removes incidents and faults. */
  readonly cancel: () => void;
}

export interface StepFailure {
  readonly step: ScenarioStep;
  readonly reason: string;
}

/** Incidents were added ahead, so that answers stay pure functions of time; changes of the tree remain. */
export class ScenarioRun {
  readonly name: string;
  readonly begin: number;
  /** In order of time. */
  readonly steps: readonly ScenarioStep[];
  readonly #changes: TimedChange[];
  readonly #cancel: () => void;
  readonly #failures: StepFailure[] = [];

  constructor({ name, begin, steps, changes, cancel }: ScenarioRunOptions) {
    this.name = name;
    this.begin = begin;
    this.steps = steps;
    this.#changes = [...changes];
    this.#cancel = cancel;
  }

  /** Makes the changes of the tree that are due. To be called before the world is asked about a time. */
  advance(at: number): void {
    for (;;) {
      const next = this.#changes[0];
      if (next === undefined || next.at > at) return;
      this.#changes.shift();
      try {
        next.apply();
      } catch (error) {
        // A client has changed the tree in the meantime.
        if (!(error instanceof RangeError)) throw error;
        this.#failures.push({ step: next.step, reason: error.message });
      }
    }
  }

  /** Steps that could not be done when their time had come. */
  get failures(): readonly StepFailure[] {
    return this.#failures;
  }

  /** Removes its incidents and faults; changes of the tree that were made remain. */
  cancel(): void {
    this.#changes.length = 0;
    this.#cancel();
  }
}
