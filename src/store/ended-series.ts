import type { Steps } from "../lib/yielding.ts";
import type { SeriesTable } from "./series-table.ts";

/**
 * The slots of a table whose series were pushed and have ended since, for which `hasValue` decides. A series that left and is
 * back under the same labels has not ended. Call inside `Store.read`.
 */
export async function endedSlots(
  table: SeriesTable,
  slices: Steps,
  hasValue: (slot: number) => boolean,
): Promise<readonly number[]> {
  if (table.left > 0) await dropRevived(table, slices, hasValue);
  const ended: number[] = [];
  for (let slot = 0; slot < table.slots; slot++) {
    const turn = slices.step();
    if (turn !== undefined) await turn;
    if (table.isPushed(slot) && !hasValue(slot)) ended.push(slot);
  }
  return ended;
}

async function dropRevived(table: SeriesTable, slices: Steps, hasValue: (slot: number) => boolean): Promise<void> {
  const left = await leftByLabels(table, slices);
  for (let slot = 0; slot < table.slots; slot++) {
    const turn = slices.step();
    if (turn !== undefined) await turn;
    if (!hasValue(slot)) continue;
    for (const other of left.get(table.labelHash(slot)) ?? []) {
      if (!table.isLeft(other) || !table.hasLabelsOf(slot, other)) continue;
      table.dropLeft(other);
      table.markPushed(slot);
    }
  }
}

/** By the hash of their labels. */
async function leftByLabels(table: SeriesTable, slices: Steps): Promise<ReadonlyMap<number, readonly number[]>> {
  const left = new Map<number, number[]>();
  for (let slot = 0; slot < table.slots; slot++) {
    const turn = slices.step();
    if (turn !== undefined) await turn;
    if (!table.isLeft(slot)) continue;
    const hash = table.labelHash(slot);
    const known = left.get(hash);
    if (known === undefined) left.set(hash, [slot]);
    else known.push(slot);
  }
  return left;
}
