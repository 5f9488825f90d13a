import type { Relation } from "./syntax.ts";

/** How records stand to each other. */
export interface Hierarchy<Item> {
  parentOf(item: Item): Item | undefined;
  childrenOf(item: Item): readonly Item[];
  /** What the user may see; a filter finds nothing out about the rest. */
  sees(item: Item): boolean;
  /** Small, and another one for each; the same all through a request. */
  numberOf(item: Item): number;
}

/** Numbers whatever it is asked about, from 0. */
export function numbering<Item>(): (item: Item) => number {
  const numbers = new Map<Item, number>();
  return (item) => {
    const known = numbers.get(item);
    if (known !== undefined) return known;
    numbers.set(item, numbers.size);
    return numbers.size - 1;
  };
}

/** Yes, no or not known yet, by number. A filter can have hundreds of prefixes, and a Map for each would fill the memory. */
class ResultCache {
  #answers = new Uint8Array(1024);

  get(number: number): boolean | undefined {
    const answer = this.#answers[number] ?? 0;
    return answer === 0 ? undefined : answer === 2;
  }

  set(number: number, answer: boolean): void {
    if (number >= this.#answers.length) {
      const larger = new Uint8Array(2 * number);
      larger.set(this.#answers);
      this.#answers = larger;
    }
    this.#answers[number] = answer ? 2 : 1;
  }
}

type Test<Item> = (item: Item) => boolean;

/** `descendants X`: all below an object for which X holds. Parents are asked once a request, leaves not at all. */
export function related<Item>(relation: Relation, term: Test<Item>, hierarchy: Hierarchy<Item>): Test<Item> {
  const { childrenOf, parentOf } = hierarchy;
  const remembered = (test: Test<Item>): Test<Item> => {
    const known = new ResultCache();
    return (item) => {
      if (childrenOf(item).length === 0) return test(item);
      const number = hierarchy.numberOf(item);
      const answer = known.get(number) ?? test(item);
      known.set(number, answer);
      return answer;
    };
  };
  const holds = (item: Item): boolean => hierarchy.sees(item) && term(item);
  // Lists have siblings next to each other.
  const ofParent = (test: Test<Item>): Test<Item> => {
    let last: Item | undefined;
    let answer = false;
    return (item) => {
      const parent = parentOf(item);
      if (parent === undefined) return false;
      if (parent === last) return answer;
      const found = test(parent);
      // Asking about the parent may have come through here, for those above it.
      last = parent;
      answer = found;
      return found;
    };
  };
  switch (relation) {
    case "children":
      return ofParent(remembered(holds));
    case "parents":
      return remembered((item) => childrenOf(item).some(holds));
    case "descendants": {
      const below: Test<Item> = ofParent(remembered((item) => holds(item) || below(item)));
      return below;
    }
    case "ancestors": {
      const above: Test<Item> = remembered((item) => childrenOf(item).some((child) => holds(child) || above(child)));
      return above;
    }
  }
}
