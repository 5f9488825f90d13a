/**
 * Records as no service should send them, for clients that must live with one. Each item is odd in one way; the ways
 * take turns. Some leave a record usable (an id as a number), some do not (no id at all).
 */
const WAYS: readonly ((record: Record<string, unknown>) => unknown)[] = [
  (record) => ({ ...record, id: Number(record.id) }),
  (record) => ({ ...record, name: null }),
  (record) => ({ ...record, status: "SOMETHING_NEW" }),
  (record) => ({
    ...record,
    basic: "none",
    last_measurement: { timestamp: "yesterday", display_value: "n/a", value: {} },
  }),
  ({ parent: _, path: __, ...record }) => record,
  ({ id: _, ...record }) => record,
  (record) => ({ ...record, id: "", parent: { id: null, name: 7 }, last_measurement: [] }),
  (record) => [record.id, record.name],
  () => null,
  (record) => String(record.name),
];

/** A list item made odd, JSON to JSON. */
export function makeOdd(item: string, turn: number): string {
  const way = WAYS[Math.floor(turn) % WAYS.length];
  return way === undefined ? item : JSON.stringify(way(JSON.parse(item) as Record<string, unknown>));
}
