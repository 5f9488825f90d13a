/** Keeps a list in order of time; at the same time the later call comes last. */
export function insertByTime<Item extends { readonly at: number }>(items: Item[], item: Item): void {
  items.splice(items.findLastIndex((other) => other.at <= item.at) + 1, 0, item);
}
