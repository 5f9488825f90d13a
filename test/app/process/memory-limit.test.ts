import { expect, test } from "vitest";
import { requireMemory } from "../../../src/app/process/memory-limit.ts";

const MIB = 1_048_576;

test.each([
  ["no limit", 0],
  ["no limit in control groups version 1", 2 ** 63 - 4_096],
  ["enough memory for 2,600 sensors", 128 * MIB],
  ["just enough memory to start", 112 * MIB],
])("a process starts with %s", (_what, limit) => {
  expect(() => requireMemory(limit)).not.toThrow();
});

test("a process above the kernel's limit warns at the start", () => {
  expect(() => requireMemory(96 * MIB)).toThrow(
    expect.objectContaining({ code: "MEMORY_LIMIT_TOO_LOW", message: expect.stringContaining("96 MiB") }),
  );
});
