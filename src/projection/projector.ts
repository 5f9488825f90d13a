import type { ShardKey } from "../store/shard-key.ts";
import type { Tables } from "../store/store.ts";
import type { Family, Labellers, Subject } from "./family.ts";
import { FamilySeries } from "./family-series.ts";

export interface ProjectorOptions<Item extends Subject, About, LabelsOf extends string> {
  readonly families: readonly Family<Item, About, LabelsOf>[];
  readonly labels: Labellers<Item, About, LabelsOf>;
  readonly tables: Tables;
  /** With which other series those of an object stay together. */
  readonly shardKey: (object: Item) => ShardKey;
  /** The fact (bit) that labels come from; 0: they never change. */
  readonly identity: number;
}

/**
 * The series of all objects of one kind, as their families declare them: adds, relabels, withdraws and removes them. Of an
 * object that changed only the families are visited that show what changed.
 */
export class Projector<Item extends Subject, About, LabelsOf extends string> {
  readonly #series: readonly FamilySeries<Item, About>[];
  readonly #measured: readonly FamilySeries<Item, About>[];
  readonly #identity: number;
  /** Those that depend on any of some facts, by these. */
  readonly #byFacts: (readonly FamilySeries<Item, About>[] | undefined)[] = [];
  readonly #labels: readonly LastLabels<Item, About>[];

  constructor({ families, labels, tables, shardKey, identity }: ProjectorOptions<Item, About, LabelsOf>) {
    this.#identity = identity;
    const last = new Map<LabelsOf, LastLabels<Item, About>>();
    this.#series = families.map((family) => {
      const from = family.labels;
      const known = last.get(from) ?? new LastLabels(labels[from]);
      last.set(from, known);
      return new FamilySeries(family, { tables, labels: (object, about) => known.of(object, about), shardKey });
    });
    this.#labels = [...last.values()];
    this.#measured = this.#series.filter(({ isMeasured }) => isMeasured);
  }

  /** Shows what changed of an object. `facts`: which, as bits; `now`: monotonic ms. */
  show(object: Item, about: About, facts: number, now: number): void {
    if ((facts & this.#identity) !== 0) {
      this.#forgetLabels();
      for (const series of this.#series) if (series.relabel(object, about)) series.show(object, about, now);
    }
    const changed = this.#byFacts[facts] ?? this.#dependingOn(facts);
    for (let index = 0; index < changed.length; index++) changed[index]?.show(object, about, now);
  }

  /** The object has no series any more. */
  remove(object: Item, about: About): void {
    for (const series of this.#series) series.remove(object, about);
    this.#forgetLabels();
  }

  /** Measurements of the object go to a receiver, which is to be told when the series of their families end. */
  markMeasured(object: Item, about: About): void {
    for (const series of this.#measured) series.markPushed(object, about);
  }

  /** Removes the series of the object that are in another table, or nowhere, when it is about `after`. */
  leave(object: Item, before: About, after: About): void {
    for (const series of this.#series) if (series.isElsewhere(before, after)) series.remove(object, before);
    this.#forgetLabels();
  }

  #dependingOn(facts: number): readonly FamilySeries<Item, About>[] {
    const changed = this.#series.filter((series) => (series.facts & facts) !== 0);
    while (this.#byFacts.length <= facts) this.#byFacts.push(undefined);
    this.#byFacts[facts] = changed;
    return changed;
  }

  #forgetLabels(): void {
    for (const labels of this.#labels) labels.forget();
  }
}

/** Labels from one place, of one object: one family after the other asks for them. */
class LastLabels<Item, About> {
  readonly #build: (object: Item, about: About) => readonly string[];
  #object: Item | undefined;
  #labels: readonly string[] = [];

  constructor(build: (object: Item, about: About) => readonly string[]) {
    this.#build = build;
  }

  of(object: Item, about: About): readonly string[] {
    if (this.#object !== object) {
      this.#labels = this.#build(object, about);
      this.#object = object;
    }
    return this.#labels;
  }

  forget(): void {
    this.#object = undefined;
    this.#labels = [];
  }
}
