import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decodeWatermarks, encodeWatermarks, watermarkFileName } from "../../src/measurements/watermarks.ts";
import { runs } from "../support/runs.ts";

const AT = Date.UTC(2026, 0, 15, 12);
const MARKS = new Map([
  ["2490", AT],
  ["2491", AT + 1],
  ["__proto__", AT + 2],
]);
const TEXT = encodeWatermarks("hq", MARKS);

describe("watermarkFileName", () => {
  test.each([
    { server: "hq", name: /^watermarks-hq-[0-9a-f]{8}\.json$/ },
    { server: "../../etc/passwd", name: /^watermarks-_etc_passwd-[0-9a-f]{8}\.json$/ },
    { server: "Büro ☎".repeat(100), name: /^watermarks-[\w-]{1,40}-[0-9a-f]{8}\.json$/ },
    { server: "", name: /^watermarks--[0-9a-f]{8}\.json$/ },
  ])("is safe for $server", ({ server, name }) => {
    expect(watermarkFileName(server)).toMatch(name);
  });

  test("differs for similar names", () => {
    const names = ["HQ", "hq", "h q", "h/q", "h_q"].map((server) => watermarkFileName(server).toLowerCase());
    expect(new Set(names).size).toBe(5);
  });
});

describe("watermark file", () => {
  test("has watermarks by sensor", () => {
    expect(decodeWatermarks(TEXT, "hq")).toEqual({ watermarks: MARKS });
    expect(decodeWatermarks(encodeWatermarks("hq", new Map()), "hq")).toEqual({ watermarks: new Map() });
  });

  test("has the bytes of 0.1.0, so that release can continue", () => {
    const name = watermarkFileName("hq");
    const text = readFileSync(new URL(`../fixtures/upgrades/0.1.0/state/${name}`, import.meta.url), "utf8");
    const decoded = decodeWatermarks(text, "hq");
    expect("watermarks" in decoded && encodeWatermarks("hq", decoded.watermarks)).toBe(text);
  });

  test("takes less than half a megabyte for 20,000 sensors", () => {
    const marks = new Map(Array.from({ length: 20_000 }, (_, index) => [String(100_000 + index), AT + index]));
    expect(encodeWatermarks("hq", marks).length).toBeLessThan(500_000);
  });

  const head = (more: object) =>
    `${JSON.stringify({ ...JSON.parse(TEXT.split("\n")[0] ?? ""), ...more })}\n${TEXT.split("\n")[1]}\n`;
  test.each([
    { name: "nothing", text: "", problem: "torn" },
    { name: "zeros", text: "\0".repeat(100), problem: "torn" },
    { name: "half of the first line", text: TEXT.slice(0, 40), problem: "torn" },
    { name: "the first line only", text: TEXT.split("\n")[0] ?? "", problem: "torn" },
    { name: "a part of the second line", text: TEXT.slice(0, -10), problem: "torn" },
    { name: "another number", text: TEXT.replace(String(AT), String(AT + 9)), problem: "torn" },
    { name: "a wrong count", text: head({ sensors: 4 }), problem: "torn" },
    { name: "another server's watermarks", text: encodeWatermarks("other", MARKS), problem: "foreign" },
    { name: "other JSON", text: '{"a":1}\n{}\n', problem: "foreign" },
    { name: "no JSON", text: "sensors:\n  2490: 5\n", problem: "foreign" },
    { name: "a list", text: "[1]\n[2]\n", problem: "foreign" },
    { name: "an odd version", text: head({ version: "one" }), problem: "foreign" },
  ])("reports $problem with $name", ({ text, problem }) => {
    expect(decodeWatermarks(text, "hq")).toMatchObject({ problem, message: expect.stringMatching(/^it/) });
  });

  test("never passes if it is truncated or changed", () => {
    fc.assert(
      fc.property(fc.nat(TEXT.length - 2), fc.constantFrom("cut", "0", "\0", " ", "}"), (position, change) => {
        const changed =
          change === "cut" ? TEXT.slice(0, position) : TEXT.slice(0, position) + change + TEXT.slice(position + 1);
        const decoded = decodeWatermarks(changed, "hq");
        if ("watermarks" in decoded) expect(decoded.watermarks).toEqual(MARKS);
      }),
      { numRuns: runs(500) },
    );
  });

  test("never throws with any content", () => {
    fc.assert(fc.property(fc.oneof(fc.string(), fc.json()), (text) => void decodeWatermarks(text, "hq")));
  });
});
