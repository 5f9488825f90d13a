import fc from "fast-check";
import { expect, test } from "vitest";
import {
  decodeJournal,
  encodeHead,
  encodeLine,
  type JournalEntry,
  journalFileName,
} from "../../src/events/event-memory.ts";
import { Premise } from "../support/premise.ts";

const entry: fc.Arbitrary<JournalEntry> = fc.record(
  {
    seq: fc.nat(),
    told: fc.array(fc.tuple(fc.string(), fc.nat(14), fc.option(fc.nat(), { nil: null }))),
    gone: fc.array(fc.string()),
    settled: fc.dictionary(fc.constantFrom("file", "otlp"), fc.nat(), { noNullPrototype: true }),
  },
  { requiredKeys: [] },
);

const file = (server: string, entries: readonly JournalEntry[]) =>
  encodeHead(server) + entries.map(encodeLine).join("");

test("the reader returns the written events", () => {
  fc.assert(
    fc.property(fc.string(), fc.array(entry), (server, entries) => {
      const text = file(server, entries);
      expect(decodeJournal(text, server)).toEqual({ entries, isCut: false, size: text.length });
    }),
  );
});

test("a truncated file gives its complete lines or none", () => {
  fc.assert(
    fc.property(fc.array(entry, { minLength: 1 }), fc.double({ min: 0, max: 1, noNaN: true }), (entries, part) => {
      const whole = file("hq", entries);
      const text = whole.slice(0, Math.floor(whole.length * part));
      const decoded = decodeJournal(text, "hq");
      const lines = text.split("\n").length - 1;
      if ("problem" in decoded) expect(lines).toBe(0);
      else expect(decoded.entries).toEqual(entries.slice(0, Math.max(0, lines - 1)));
    }),
  );
});

const damage = fc.oneof(fc.string({ minLength: 1 }), fc.constantFrom(..."0123456789"));

function isJsonLine(line: string): boolean {
  try {
    return typeof JSON.parse(line.slice(9)) === "object";
  } catch {
    return false;
  }
}

test("a damaged file never passes as another one", () => {
  const looksWhole = new Premise();
  fc.assert(
    fc.property(fc.array(entry, { minLength: 1 }), fc.nat(), damage, (entries, at, text) => {
      const whole = file("hq", entries);
      const digits = [...whole.matchAll(/\d/g)].map(({ index }) => index);
      const place = (/^\d$/.test(text) ? digits[at % digits.length] : undefined) ?? at % whole.length;
      const damaged = whole.slice(0, place) + text + whole.slice(place + text.length);
      looksWhole.holds(damaged !== whole && damaged.trimEnd().split("\n").every(isJsonLine));
      const decoded = decodeJournal(damaged, "hq");
      if ("problem" in decoded) return;
      expect(decoded.entries).toEqual(entries.slice(0, decoded.entries.length));
      const linesBefore = whole.slice(0, place).split("\n").length - 1;
      expect(decoded.entries.length).toBeGreaterThanOrEqual(linesBefore - 1);
    }),
  );
  looksWhole.expectOften();
});

test("servers with similar names have different files", () => {
  const names = ["hq", "HQ", "h q", "h/q", "h\\q", "", "x".repeat(300)].map(journalFileName);
  expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(names.length);
  for (const name of names) expect(name).toMatch(/^events-[\w-]{0,40}-[0-9a-f]{8}\.journal$/);
});
