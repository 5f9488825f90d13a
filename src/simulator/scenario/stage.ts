import type { World } from "../world/model.ts";
import { layStory, type Troublemaker } from "./lay.ts";
import type { Scenario } from "./scenario.ts";
import type { Story } from "./story.ts";

/** Where stories are played: one world, any number of stories. */
export class Stage {
  readonly #world: World;
  readonly #faults: Troublemaker;
  #stories: readonly Story[] = [];

  constructor(world: World, faults: Troublemaker) {
    this.#world = world;
    this.#faults = faults;
  }

  get stories(): readonly Story[] {
    return this.#stories;
  }

  /**
   * Begins a story at a moment, milliseconds since the epoch.
   * @throws ScenarioError, and then nothing has happened
   */
  play(scenario: Scenario, begin: number): Story {
    const story = layStory(scenario, this.#world, begin, this.#faults);
    this.#stories = [...this.#stories, story];
    return story;
  }

  /** Ends all stories. */
  clear(): void {
    for (const story of this.#stories) story.cancel();
    this.#stories = [];
  }

  /** To be called before the world is asked about a moment. */
  advance(at: number): void {
    for (const story of this.#stories) story.advance(at);
  }
}
