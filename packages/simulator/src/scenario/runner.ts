import type { World } from "../world/model.ts";
import { compileScenario, type FaultControl } from "./compiler.ts";
import type { ScenarioRun } from "./run.ts";
import type { Scenario } from "./scenario.ts";

/** Runs scenarios: any number of them in one world. */
export class ScenarioRunner {
  readonly #world: World;
  readonly #faults: FaultControl;
  #runs: readonly ScenarioRun[] = [];

  constructor(world: World, faults: FaultControl) {
    this.#world = world;
    this.#faults = faults;
  }

  get runs(): readonly ScenarioRun[] {
    return this.#runs;
  }

  /** `begin` in milliseconds since the epoch. @throws ScenarioError, and then nothing has happened */
  play(scenario: Scenario, begin: number): ScenarioRun {
    const run = compileScenario(scenario, this.#world, begin, this.#faults);
    this.#runs = [...this.#runs, run];
    return run;
  }

  /** Ends all runs. */
  clear(): void {
    for (const run of this.#runs) run.cancel();
    this.#runs = [];
  }

  /** To be called before the world is asked about a time. */
  advance(at: number): void {
    for (const run of this.#runs) run.advance(at);
  }
}
