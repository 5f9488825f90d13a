import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Lookups, stateText } from "../../src/model/lookups.ts";
import type { LookupDefinition, LookupEntry } from "../../src/prtg/records.ts";

function range(from: number, to: number, text: string): LookupEntry {
  return { kind: "range", from, to, text };
}

function bits(set: number, text: string): LookupEntry {
  return { kind: "bits", bits: set, text };
}

function lookup(id: string, name: string, entries: readonly LookupEntry[] = [range(0, 0, id)]): LookupDefinition {
  return { id, name, entries };
}

describe("text of a value", () => {
  const DOOR = [range(0, 0, "Closed"), range(1, 1, "Open"), range(-1, -1, "Gone")];
  const KEY = [range(0, 1023, "Unsafe"), range(1024, 2047, "Weak"), range(2000, 4000, "Overlapping")];
  const TRAY = [bits(0, "Ready"), bits(1, "Low"), bits(2, "Empty"), bits(4, "Jammed")];
  const BOTH = [...TRAY, bits(3, "Low and Empty")];
  test.each([
    { entries: DOOR, value: 0, text: "Closed" },
    { entries: DOOR, value: -0, text: "Closed" },
    { entries: DOOR, value: -1, text: "Gone" },
    { entries: DOOR, value: 2, text: "2" },
    { entries: DOOR, value: -2, text: "-2" },
    { entries: DOOR, value: 0.5, text: "0.5" },
    { entries: KEY, value: 1023, text: "Unsafe" },
    { entries: KEY, value: 1023.5, text: "1023.5" },
    { entries: KEY, value: 2047, text: "Weak" },
    { entries: KEY, value: 2048, text: "Overlapping" },
    { entries: KEY, value: 4001, text: "4001" },
    { entries: TRAY, value: 0, text: "Ready" },
    { entries: TRAY, value: 4, text: "Jammed" },
    { entries: TRAY, value: 5, text: "Low, Jammed" },
    { entries: TRAY, value: 9, text: "Low, 8" },
    { entries: TRAY, value: 8, text: "8" },
    { entries: TRAY, value: 0.5, text: "0.5" },
    { entries: TRAY, value: -1, text: "-1" },
    { entries: BOTH, value: 3, text: "Low and Empty" },
    { entries: [bits(1, "First"), bits(2 ** 62, "Battery")], value: 2 ** 62, text: "Battery" },
    { entries: [bits(2 ** 32, "High"), bits(1, "Low")], value: 2 ** 32 + 1, text: "High, Low" },
  ])("$value gives $text", ({ entries, value, text }) => {
    expect(stateText(lookup("a", "A", entries), value)).toBe(text);
  });

  test("names every set bit once, for any named bits", () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(40)), fc.bigInt({ min: 1n, max: 2n ** 41n - 1n }), (named, value) => {
        const entries = named.map((bit) => bits(2 ** bit, `bit ${bit}`));
        const parts = stateText(lookup("a", "A", entries), Number(value)).split(", ");
        const sum = parts.map((part) => (part.startsWith("bit ") ? 1n << BigInt(part.slice(4)) : BigInt(part)));
        expect(sum.reduce((a, b) => a + b)).toBe(value);
      }),
    );
  });
});

describe("lookups", () => {
  const door = lookup("acme.door", "Door");
  const tray = lookup("acme.tray", "Tray");
  const lookups = new Lookups([
    door,
    tray,
    lookup("acme.twin.1", "Twin"),
    lookup("acme.twin.2", "Twin"),
    lookup("acme.twin.3", "Twin"),
    lookup("Door", "Named as another's id"),
    lookup("acme.empty", "Empty", []),
    lookup("acme.nameless", ""),
  ]);

  test.each([
    ["acme.door", "acme.door"],
    ["Tray", "acme.tray"],
    ["Door", "Door"],
    ["Twin", undefined],
    ["acme.twin.2", "acme.twin.2"],
    ["acme.empty", undefined],
    ["tray", undefined],
    ["", undefined],
  ])("%s has its id first, then a unique name", (reference, id) => {
    expect(lookups.find(reference)?.id).toBe(id);
  });

  test("are ignored without entries", () => {
    expect(lookups.size).toBe(7);
    expect(new Lookups([lookup("acme.empty", "Empty", [])]).size).toBe(0);
  });
});
