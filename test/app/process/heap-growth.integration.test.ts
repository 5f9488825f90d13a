import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { HEAP_FLAGS } from "../../../src/app/process/memory-flags.ts";

const run = promisify(execFile);
const MODULE = fileURLToPath(new URL("../../../src/app/process/heap-growth.ts", import.meta.url));
/** Garbage beside what stays, as a start leaves it, and then more of it: how far the heap grows is told. */
const PROGRAM = `
  import { boundHeapGrowth } from ${JSON.stringify(MODULE)};
  const megabyte = () => Array.from({ length: 16_384 }, (_, index) => ({ index, next: index + 0.5 }));
  const kept = Array.from({ length: 4 }, megabyte);
  let dropped = Array.from({ length: 12 }, megabyte);
  dropped = [];
  const before = process.memoryUsage().heapUsed;
  boundHeapGrowth();
  const after = process.memoryUsage().heapUsed;
  console.log(JSON.stringify({ before, after, kept: kept.length, gc: typeof globalThis.gc }));
`;

async function bound(flags: readonly string[], nodeOptions = ""): Promise<{ before: number; after: number }> {
  const { stdout, stderr } = await run(process.execPath, [...flags, "--input-type=module", "--eval", PROGRAM], {
    env: { PATH: process.env.PATH, NODE_OPTIONS: nodeOptions },
  });
  expect(stderr).toBe("");
  const told = JSON.parse(stdout);
  expect(told).toMatchObject({ kept: 4, gc: "undefined" });
  return told;
}

test("a small heap is rid of what the start has left", async () => {
  const { before, after } = await bound(HEAP_FLAGS);
  expect(after).toBeLessThan(0.8 * before);
});

test.each([
  [["--max-semi-space-size=32"], ""],
  [["--heap-growing-percent=80"], ""],
  [[], "--max_semi_space_size=32"],
])("what the user has chosen stays: %j %s", async (flags, nodeOptions) => {
  const { before, after } = await bound(flags, nodeOptions);
  expect(after).toBeGreaterThan(0.9 * before);
});
