import { expect, test } from "vitest";
import { allPresets, unnamedChannels } from "../../src/app/unnamed-channels.ts";

const rules = await allPresets();

function channel(type: string, name: string, unit = "msec", channelId = "0") {
  return { sensor: { type }, channel: { channelId, name, unit } };
}

test.each([
  { title: "a name that a preset has", channels: [channel("ping", "Ping Time")] },
  { title: "a kind that no preset has", channels: [channel("exexml", "Orders")] },
  { title: "the channel that every sensor has", channels: [channel("ping", "Ausfall", "%", "-4")] },
  { title: "a name whose unit does not convert", channels: [channel("ping", "Ping Time", "furlongs")] },
])("reports nothing about $title", ({ channels }) => {
  expect(unnamedChannels(rules, channels)).toEqual([]);
});

test("reports each name once with its unit, in one line for each kind", () => {
  const names = [channel("ping", "Laufzeit"), channel("ping", "Laufzeit"), channel("http", "a\nb", "")];
  expect(unnamedChannels(rules, names)).toEqual([`ping: "Laufzeit" in "msec"`, String.raw`http: "a\nb" in ""`]);
});

test("shortens long names and long lists", () => {
  const names = Array.from({ length: 30 }, (_, index) => channel("ping", `${index} ${"x".repeat(1_000)}`));
  const [line = ""] = unnamedChannels(rules, names);
  expect(line.endsWith(" and 10 more")).toBe(true);
  expect(line.length).toBeLessThan(2_000);
});
