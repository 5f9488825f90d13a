import fc from "fast-check";
import { expect, test } from "vitest";
import { parseDateTime } from "../../src/api/parameters.ts";

const NOON = Date.UTC(2026, 2, 12, 12);

test.each<[text: string, moment: number]>([
  ["2026-03-12T12:00:00Z", NOON],
  ["2026-03-12t12:00:00z", NOON],
  ["2026-03-12T12:00:00+00:00", NOON],
  ["2026-03-12T12:00:00-00:00", NOON],
  ["2026-03-12T13:30:00+01:30", NOON],
  ["2026-03-12T00:15:00-11:45", NOON],
  ["2026-03-11T23:00:00-13:00", NOON],
  ["2026-03-12T12:00:00.25Z", NOON + 250],
  ["2026-03-12T12:00:00.0009999Z", NOON],
  ["2026-03-12T11:59:60Z", NOON],
  ["2024-02-29T00:00:00Z", Date.UTC(2024, 1, 29)],
  ["0001-01-01T00:00:00Z", Date.parse("0001-01-01T00:00:00Z")],
  ["9999-12-31T23:59:59Z", Date.parse("9999-12-31T23:59:59Z")],
])("%s", (text, moment) => {
  expect(parseDateTime(text)).toBe(moment);
});

test.each([
  "",
  "now",
  "1773316800",
  "2026-03-12",
  "2026-03-12T12:00Z",
  "2026-03-12T12:00:00",
  "2026-03-12 12:00:00Z",
  "2026-03-12T12:00:00 01:00",
  "2026-03-12T12:00:00+0100",
  "2026-03-12T12:00:00.Z",
  "2026-3-12T12:00:00Z",
  "26-03-12T12:00:00Z",
  "2026-02-29T12:00:00Z",
  "2026-04-31T12:00:00Z",
  "2026-00-12T12:00:00Z",
  "2026-13-12T12:00:00Z",
  "2026-03-00T12:00:00Z",
  "2026-03-12T24:00:00Z",
  "2026-03-12T12:60:00Z",
  "2026-03-12T12:00:61Z",
  "2026-03-12T12:00:00+24:00",
  "2026-03-12T12:00:00+01:60",
  " 2026-03-12T12:00:00Z",
  "2026-03-12T12:00:00Z\n",
  "+002026-03-12T12:00:00Z",
])("%j is not a date", (text) => {
  expect(parseDateTime(text)).toBeUndefined();
});

test("reads all dates that JavaScript writes, at any offset", () => {
  const bounds = { min: new Date("0001-01-02T00:00:00Z"), max: new Date("9999-12-30T00:00:00Z"), noInvalidDate: true };
  fc.assert(
    fc.property(fc.date(bounds), fc.integer({ min: -1439, max: 1439 }), (date, offset) => {
      const local = new Date(date.getTime() + offset * 60_000).toISOString().slice(0, -1);
      const [hours, minutes] = [Math.floor(Math.abs(offset) / 60), Math.abs(offset) % 60];
      const zone = `${String(hours).padStart(2, "0")}:${String(minutes).padStart(2, "0")}`;
      expect(parseDateTime(`${local}${offset < 0 ? "-" : "+"}${zone}`)).toBe(date.getTime());
    }),
  );
});
