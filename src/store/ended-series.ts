import { mapEntry } from "../lib/map-entry.ts";
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
    for (const other of left.get(keyOf(table.labels(slot))) ?? []) {
      if (!table.isLeft(other)) continue;
      table.dropLeft(other);
      table.markPushed(slot);
    }
  }
}

async function leftByLabels(table: SeriesTable, slices: Steps): Promise<ReadonlyMap<string, readonly number[]>> {
  const left = new Map<string, number[]>();
  for (let slot = 0; slot < table.slots; slot++) {
    const turn = slices.step();
    if (turn !== undefined) await turn;
    if (table.isLeft(slot)) mapEntry(left, keyOf(table.labels(slot)), () => []).push(slot);
  }
  return left;
}

/** The same for the same labels, and for no others. */
function keyOf(labels: readonly string[]): string {
  return JSON.stringify(labels);
}
