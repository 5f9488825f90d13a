import { expect, test } from "vitest";
import { MemoryBudget } from "../../src/lib/memory-budget.ts";

test("shares report if all together fit into the budget", () => {
  const budget = new MemoryBudget(100);
  const [first, second] = [budget.open(), budget.open()];
  expect(first.add(60)).toBe(true);
  expect(second.fits(40)).toBe(true);
  expect(second.fits(41)).toBe(false);
  expect(second.add(41)).toBe(false);
  // The budget holds it anyway until its release.
  expect(budget.heldBytes).toBe(101);
  expect(first.add(0)).toBe(false);
  second.set(0);
  expect(first.fits(100)).toBe(true);
  expect(budget.heldBytes).toBe(60);
});

test("borrowed memory returns after the work, also after a failure", async () => {
  const budget = new MemoryBudget(100);
  const held = await budget.lend(async (share) => {
    share.add(70);
    return budget.heldBytes;
  });
  expect(held).toBe(70);
  const failing = budget.lend(async (share) => {
    share.add(70);
    throw new Error("in the middle");
  });
  await expect(failing).rejects.toThrow("in the middle");
  expect(budget.heldBytes).toBe(0);
});

test("everything fits without a limit", () => {
  expect(new MemoryBudget().open().add(Number.MAX_SAFE_INTEGER)).toBe(true);
});
