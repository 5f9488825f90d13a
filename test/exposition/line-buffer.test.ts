import fc from "fast-check";
import { expect, test } from "vitest";
import { LineBuffer } from "../../src/exposition/line-buffer.ts";
import { formatValue } from "../../src/exposition/text-format.ts";

/** One to four bytes. */
const unit = fc.oneof(
  fc.string({ unit: "binary", minLength: 1, maxLength: 1 }),
  fc.constantFrom("a", '"', "\\", "\n", "\x7f", "\x80", "ü", "Я", "\u07ff", "\u0800", "鼎", "😀"),
);
/** Some are longer than the first buffer. */
const text = fc
  .tuple(fc.string({ unit, maxLength: 12 }), fc.constantFrom(1, 1, 9_000))
  .map(([piece, times]) => piece.repeat(times).toWellFormed());
const range = fc.tuple(fc.nat(70_000), fc.constantFrom(0, 1, 70_000));
const step = fc.oneof(
  text.map((value) => ({ kind: "text", value }) as const),
  fc.double().map((value) => ({ kind: "value", value }) as const),
  fc.tuple(fc.constantFrom(0, 1), range).map(([source, value]) => ({ kind: "copy", source, value }) as const),
);

/** Start and count within `length`. */
function cut([from, count]: readonly [number, number], length: number): readonly [number, number] {
  const start = from % (length + 1);
  return [start, Math.min(length, start + count)];
}

test("the buffer returns written and copied text in order", () => {
  const sources = [Buffer.from("0123456789".repeat(100)), Buffer.from("äöü".repeat(10_000))];
  const lines = new LineBuffer();
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      let expected = Buffer.alloc(0);
      const add = (bytes: Buffer) => {
        expected = Buffer.concat([expected, bytes]);
      };
      for (const each of steps) {
        if (each.kind === "text") {
          lines.text(each.value);
          add(Buffer.from(each.value));
        } else if (each.kind === "value") {
          lines.value(each.value);
          add(Buffer.from(`${formatValue(each.value)}\n`));
        } else {
          const source = sources[each.source] ?? expected;
          const [start, end] = cut(each.value, source.length);
          lines.copy(source, start, end);
          add(source.subarray(start, end));
        }
        expect(lines.length).toBe(expected.length);
      }
      expect(lines.all().equals(expected)).toBe(true);
      lines.clear();
    }),
  );
});
