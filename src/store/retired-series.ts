import { FNV_BASIS, fnv1a } from "../lib/text-units.ts";
import type { Steps } from "../lib/yielding.ts";
import type { SeriesTable } from "./series-table.ts";

/**
 * Takes what is pushed from a table over to those that take its place: `to` has the series that go on, under whatever slots;
 * the others have ended, and their labels are kept in `retired` until the receiver knows.
 */
export async function retire(
  from: SeriesTable,
  to: SeriesTable | undefined,
  retired: SeriesTable,
  slices: Steps,
): Promise<void> {
  const pushed = await pushedByLabels(from, slices);
  if (to !== undefined) await dropShown(pushed, from, to, slices);
  for (const slot of [...pushed.values()].flat()) {
    const turn = slices.step();
    if (turn !== undefined) await turn;
    const labels = from.labels(slot);
    if (from.isLeft(slot)) from.dropLeft(slot);
    retired.addLeft(labels);
  }
}

/** Nothing is to be told any more of those series in `retired` that are shown again. */
export async function dropRevivedFrom(retired: SeriesTable, shown: SeriesTable, slices: Steps): Promise<void> {
  if (retired.left === 0) return;
  await dropShown(await pushedByLabels(retired, slices), retired, shown, slices);
}

type SlotsByLabels = Map<number, number[]>;

async function pushedByLabels(table: SeriesTable, slices: Steps): Promise<SlotsByLabels> {
  const pushed: SlotsByLabels = new Map();
  const hasher = new LabelHasher(table);
  for (let slot = 0; slot < table.slots; slot++) {
    const turn = slices.step();
    if (turn !== undefined) await turn;
    if (!table.isPushed(slot)) continue;
    const hash = hasher.of(slot);
    const known = pushed.get(hash);
    if (known === undefined) pushed.set(hash, [slot]);
    else known.push(slot);
  }
  return pushed;
}

/** Takes out of `pushed`, which is of `from`, what `to` has a value of, and marks it there. */
async function dropShown(pushed: SlotsByLabels, from: SeriesTable, to: SeriesTable, slices: Steps): Promise<void> {
  const hasher = new LabelHasher(to);
  for (let slot = 0; slot < to.slots && pushed.size > 0; slot++) {
    const turn = slices.step();
    if (turn !== undefined) await turn;
    if (!to.isPresent(slot)) continue;
    const hash = hasher.of(slot);
    const same = pushed.get(hash) ?? [];
    const others = same.filter((other) => !isSameSeries(from, other, to, slot));
    if (others.length === same.length) continue;
    for (const other of same) if (!others.includes(other) && from.isLeft(other)) from.dropLeft(other);
    if (others.length === 0) pushed.delete(hash);
    else pushed.set(hash, others);
    to.markPushed(slot);
  }
}

/** Hashes of labels as a receiver sees them, who knows neither their order nor empty ones. */
class LabelHasher {
  readonly #table: SeriesTable;
  readonly #seeds: readonly number[];
  /** Of the series before, by column: neighbours have most labels in common. */
  readonly #texts: string[];
  readonly #hashes: number[];

  constructor(table: SeriesTable) {
    this.#table = table;
    this.#seeds = table.family.labels.map((name) => fnv1a(name, FNV_BASIS));
    this.#texts = this.#seeds.map(() => "");
    this.#hashes = this.#seeds.map(() => 0);
  }

  of(slot: number): number {
    let hash = 0;
    for (const [column, seed] of this.#seeds.entries()) {
      const text = this.#table.label(slot, column);
      if (text !== this.#texts[column]) {
        this.#texts[column] = text;
        this.#hashes[column] = text === "" ? 0 : fnv1a(text, seed) >>> 0;
      }
      hash = (hash + (this.#hashes[column] ?? 0)) >>> 0;
    }
    return hash;
  }
}

function isSameSeries(a: SeriesTable, slotOfA: number, b: SeriesTable, slotOfB: number): boolean {
  const names = a.family.labels;
  const others = b.family.labels;
  const has = (table: SeriesTable, slot: number, name: string, value: string): boolean => {
    const column = table.family.labels.indexOf(name);
    return column === -1 ? value === "" : table.label(slot, column) === value;
  };
  return (
    names.every((name, column) => has(b, slotOfB, name, a.label(slotOfA, column))) &&
    others.every((name, column) => has(a, slotOfA, name, b.label(slotOfB, column)))
  );
}
