import fc from "fast-check";
import { expect, test } from "vitest";
import { SeriesTable } from "../../src/store/series-table.ts";
import { StringPool } from "../../src/store/string-pool.ts";

test("holds a text as long as somebody uses it, under one number", () => {
  const command = fc.record({ text: fc.constantFrom("", "a", "b", "c"), release: fc.boolean() });
  fc.assert(
    fc.property(fc.array(command, { maxLength: 100 }), (commands) => {
      const pool = new StringPool();
      const taken: number[] = [];
      for (const { text, release } of commands) {
        if (!release) taken.push(pool.take(text));
        else {
          const id = taken.shift();
          if (id !== undefined) pool.release(id);
        }
        const texts = taken.map((id) => pool.text(id));
        expect(new Set(taken).size).toBe(new Set(texts).size);
        expect(pool.size).toBe(new Set(["", ...texts]).size);
      }
    }),
  );
});

test("is empty again when all series that used it are gone, however they were relabelled", () => {
  const pool = new StringPool();
  const family = { name: "f", type: "gauge", help: "", labels: ["a", "b"] } as const;
  const table = new SeriesTable(family, (_family, values) => values.join("|"), pool);
  for (let round = 0; round < 5; round++) {
    const slots = Array.from({ length: 3_000 }, (_, index) => table.add([`a${index}`, `b${index % 7}`]));
    for (const slot of slots) table.relabel(slot, [`a${slot}`, `c${round}`]);
    expect(table.labelText(slots[17] ?? 0)).toBe(`a${slots[17]}|c${round}`);
    for (const slot of slots) table.remove(slot);
    expect(pool.size).toBe(1);
    expect(table.slots).toBe(3_000);
  }
});
