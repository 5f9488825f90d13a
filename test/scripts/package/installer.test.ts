import { expect, test } from "vitest";
import { windowsVersion } from "../../../scripts/package/installer.ts";
import { stampSummary } from "../../../scripts/package/summary-information.ts";

const TIME = new Date("2026-11-22T10:00:00Z");
const UUID = "5f45ebe8-c583-50c1-a7df-d6ce445e9c51";

test.each([
  ["0.1.0", "0.1.0"],
  ["1.2.3-rc.1", "1.2.3"],
  ["255.255.65535", "255.255.65535"],
])("version %s is %s for Windows", (version, expected) => {
  expect(windowsVersion(version)).toBe(expected);
});

test.each(["256.0.0", "0.256.0", "0.0.65536"])("Windows has no version %s", (version) => {
  expect(() => windowsVersion(version)).toThrow(`Windows has no version ${version}`);
});

/** A summary of three properties, as a compound file has it. */
function summary(codeLength = 39): Buffer {
  const head = Buffer.from("feff00000a00020000000000000000000000000000000000", "hex");
  const count = Buffer.from([1, 0, 0, 0]);
  const format = Buffer.from("e0859ff2f94f6810ab9108002b27b3d9", "hex");
  const int = (value: number) => {
    const buffer = Buffer.alloc(4);
    buffer.writeUInt32LE(value);
    return buffer;
  };
  const code = Buffer.concat([int(30), int(codeLength), Buffer.alloc(40, "x")]);
  const time = Buffer.concat([int(64), Buffer.alloc(8)]);
  const values = [code, time, time];
  const offsets = [32, 32 + code.length, 32 + code.length + time.length];
  const index = [9, 12, 13].flatMap((id, at) => [int(id), int(offsets[at] ?? 0)]);
  const section = Buffer.concat([int(0), int(3), ...index, ...values]);
  return Buffer.concat([Buffer.alloc(100), head, count, format, int(48), section]);
}

test("times and package code of the summary are those of the caller", () => {
  const msi = summary();
  stampSummary(msi, UUID, TIME);
  expect(msi.includes(`{${UUID.toUpperCase()}}\0`)).toBe(true);
  const filetime = (BigInt(TIME.getTime()) + 11_644_473_600_000n) * 10_000n;
  expect([msi.readBigUInt64LE(msi.length - 8), msi.readBigUInt64LE(msi.length - 20)]).toEqual([filetime, filetime]);
});

test.each([
  ["no summary", Buffer.alloc(200), "the MSI has no summary information"],
  ["a code of another length", summary(20), "the package code of the MSI has another length"],
])("rejects a file with %s", (_, msi, message) => {
  expect(() => stampSummary(msi, UUID, TIME)).toThrow(message);
});
