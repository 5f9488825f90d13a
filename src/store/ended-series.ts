import { mapEntry } from "../lib/map-entry.ts";
import { FNV_BASIS, fnv1a } from "../lib/text-units.ts";
import type { Steps } from "../lib/yielding.ts";
import type { SeriesTable } from "./series-table.ts";

/**
 * Slots of pushed series without a value. A series that came back with the same labels has not ended. Call it inside
 * `Store.read`.
 */
export async function endedSlots(
  table: SeriesTable,
  slices: Steps,
  hasValue: (slot: number) => boolean,
): Promise<readonly number[]> {
  if (table.endedCount > 0) {
    const ended = await slotsByLabels(table, slices, (slot) => table.hasEnded(slot));
    await dropServed(ended, table, table, slices, hasValue);
  }
  const ended: number[] = [];
  for (let slot = 0; slot < table.slots; slot++) {
    const turn = slices.step();
    if (turn !== undefined) await turn;
    if (table.isPushed(slot) && !hasValue(slot)) ended.push(slot);
  }
  return ended;
}

/** Keeps the labels of pushed series that `to` lacks in `retired`, until the receiver has their staleness markers. */
export async function retire(
  from: SeriesTable,
  to: SeriesTable | undefined,
  retired: SeriesTable,
  slices: Steps,
): Promise<void> {
  const pushed = await slotsByLabels(from, slices, (slot) => from.isPushed(slot));
  if (to !== undefined) await dropServed(pushed, from, to, slices);
  for (const slot of [...pushed.values()].flat()) {
    const turn = slices.step();
    if (turn !== undefined) await turn;
    const labels = from.labels(slot);
    if (from.hasEnded(slot)) from.dropEnded(slot);
    retired.addEnded(labels);
  }
}

/** Series that are served again need no staleness marker. */
export async function dropRevivedFrom(retired: SeriesTable, served: SeriesTable, slices: Steps): Promise<void> {
  if (retired.endedCount === 0) return;
  const pushed = await slotsByLabels(retired, slices, (slot) => retired.isPushed(slot));
  await dropServed(pushed, retired, served, slices);
}

type SlotsByLabels = Map<number, number[]>;

async function slotsByLabels(
  table: SeriesTable,
  slices: Steps,
  isIncluded: (slot: number) => boolean,
): Promise<SlotsByLabels> {
  const slots: SlotsByLabels = new Map();
  for (let slot = 0; slot < table.slots; slot++) {
    const turn = slices.step();
    if (turn !== undefined) await turn;
    if (isIncluded(slot)) mapEntry(slots, labelHash(table, slot), () => []).push(slot);
  }
  return slots;
}

async function dropServed(
  slots: SlotsByLabels,
  from: SeriesTable,
  to: SeriesTable,
  slices: Steps,
  isServed: (slot: number) => boolean = (slot) => to.isPresent(slot),
): Promise<void> {
  for (let slot = 0; slot < to.slots && slots.size > 0; slot++) {
    const turn = slices.step();
    if (turn !== undefined) await turn;
    if (!isServed(slot)) continue;
    const hash = labelHash(to, slot);
    const { same = [], other = [] } = Object.groupBy(slots.get(hash) ?? [], (each) =>
      isSameSeries(from, each, to, slot) ? "same" : "other",
    );
    if (same.length === 0) continue;
    for (const each of same) if (from.hasEnded(each)) from.dropEnded(each);
    if (other.length === 0) slots.delete(hash);
    else slots.set(hash, other);
    to.markPushed(slot);
  }
}

/** Ignores the order of labels and empty labels, as receivers do. */
function labelHash(table: SeriesTable, slot: number): number {
  let hash = 0;
  for (const [column, name] of table.family.labels.entries()) {
    const text = table.label(slot, column);
    if (text !== "") hash = (hash + fnv1a(text, fnv1a(name, FNV_BASIS))) >>> 0;
  }
  return hash;
}

function isSameSeries(a: SeriesTable, slotOfA: number, b: SeriesTable, slotOfB: number): boolean {
  const isIn = (table: SeriesTable, slot: number, name: string, value: string): boolean => {
    const column = table.family.labels.indexOf(name);
    return column === -1 ? value === "" : table.label(slot, column) === value;
  };
  return (
    a.family.labels.every((name, column) => isIn(b, slotOfB, name, a.label(slotOfA, column))) &&
    b.family.labels.every((name, column) => isIn(a, slotOfA, name, b.label(slotOfB, column)))
  );
}
