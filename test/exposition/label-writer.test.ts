import fc from "fast-check";
import { expect, test } from "vitest";
import { LabelWriter } from "../../src/exposition/label-writer.ts";
import { LineBuffer } from "../../src/exposition/line-buffer.ts";
import { formatLabels, formatValue } from "../../src/exposition/text-format.ts";
import { SeriesTable } from "../../src/store/series-table.ts";

const FAMILIES = [[], ["a"], ["a", "b", "c"], ["a", "b", "c", "d", "e"]].map(
  (labels) => ({ name: "value", type: "gauge", help: "", labels }) as const,
);
const label = fc.constantFrom("", "a", "plain", 'b"', "c\\", "d\n", "\ud800", "é", "x".repeat(300), "ü".repeat(300));
/** Places of a block, some of which are passed over. */
const series = fc.array(fc.tuple(fc.array(label, { minLength: 5, maxLength: 5 }), fc.boolean()), { maxLength: 60 });

test("lines of series one after the other are written as each by itself", () => {
  fc.assert(
    fc.property(fc.constantFrom(...FAMILIES), series, (family, all) => {
      const table = new SeriesTable(family, () => "");
      for (const [labels] of all) table.add(labels.slice(0, family.labels.length));
      const [block] = table.blocks;
      if (block === undefined) return;
      const lines = new LineBuffer();
      const writer = new LabelWriter(table, block, lines);
      let expected = "";
      for (const [at, [labels, isWritten]] of all.entries()) {
        if (!isWritten) continue;
        writer.write(at);
        lines.value(at / 8);
        expected += `${family.name}${formatLabels(family.labels, labels)} ${formatValue(at / 8)}\n`;
      }
      expect(lines.length).toBe(Buffer.byteLength(expected));
      expect(lines.take().toString("utf8")).toBe(expected);
    }),
  );
});
