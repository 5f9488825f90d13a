import { ENDPOINTS, type FaultKind, type FaultyEndpoint, faultTexts, losesRecords } from "./fault-catalogue.ts";
import type { Random } from "./random.ts";

export interface Disturbance {
  readonly kinds: readonly string[];
  /** Simulator grammar. */
  readonly faults: readonly string[];
  readonly endsSessions: boolean;
  /** Without ids, the exporter may miss objects. */
  readonly losesRecords: boolean;
  /** The exporter retries a missing endpoint after a minute. */
  readonly missesEndpoints: boolean;
}

const SHARES = ["", "", "#0.5", "#0.2", "#3"] as const;
const MAX_EXTRAS = 3;

/** Equally often, alone and mixed. */
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
