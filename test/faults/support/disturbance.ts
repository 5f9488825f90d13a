import { ENDPOINTS, type FaultKind, type FaultyEndpoint, faultTexts, losesRecords } from "./fault-catalogue.ts";
import type { Random } from "./random.ts";

/** Some faults at the same time. */
export interface Disturbance {
  /** For reports. */
  readonly kinds: readonly string[];
  /** As the simulator reads them. */
  readonly faults: readonly string[];
  readonly endsSessions: boolean;
  /** Records may lack what tells them apart: who misses an object then is right. */
  readonly losesRecords: boolean;
  /** An endpoint may have been missing, which is looked into again after a minute. */
  readonly missesEndpoints: boolean;
}

const SHARES = ["", "", "#0.5", "#0.2", "#3"] as const;
const MAX_EXTRAS = 3;

/** Deals faults so that every kind comes as often as every other, alone and mixed, everywhere. */
export class FaultDeck {
  readonly #random: Random;
  readonly #kinds: readonly FaultKind[];
  #deck: FaultKind[] = [];

  constructor(random: Random, kinds: readonly FaultKind[]) {
    this.#random = random;
    this.#kinds = kinds;
  }

  next(): Disturbance {
    const random = this.#random;
    if (this.#deck.length === 0) this.#deck = random.shuffle(this.#kinds);
    const first = this.#deck.pop() ?? random.pick(this.#kinds);
    const extras = random.next() < 0.5 ? 0 : 1 + Math.floor(random.next() * MAX_EXTRAS);
    const kinds = [first, ...Array.from({ length: extras }, () => random.pick(this.#kinds))];
    const chosen = kinds.map((kind) => ({ kind, at: this.#place(kind) }));
    return {
      kinds: kinds.map(({ name }) => name),
      faults: chosen.flatMap(({ kind, at }) => faultTexts(kind, at, random.pick(SHARES))),
      endsSessions: chosen.some(({ at }) => at.glob === "/session") || random.next() < 0.2,
      losesRecords: kinds.some(losesRecords),
      missesEndpoints: kinds.some(({ text }) => text.startsWith("missing")),
    };
  }

  #place({ listsOnly }: FaultKind): FaultyEndpoint {
    return this.#random.pick(ENDPOINTS.filter(({ isList }) => isList || listsOnly !== true));
  }
}
