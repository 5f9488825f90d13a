import { describe, expect, it } from "vitest";
import { Reclaimer } from "../../src/exposition/reclaimer.ts";

const SIZE = 8;

function made(reclaimer: Reclaimer): Buffer {
  const buffer = Buffer.allocUnsafeSlow(SIZE);
  reclaimer.adopt(buffer);
  return buffer;
}

describe("memory of lines that were replaced", () => {
  it("is given back at once when nobody reads", () => {
    const reclaimer = new Reclaimer();
    const lines = made(reclaimer);
    reclaimer.retire([lines]);
    expect(lines).toHaveLength(0);
  });

  it("stays until everybody has left who may see it, and no longer", () => {
    const reclaimer = new Reclaimer();
    const [old, current] = [made(reclaimer), made(reclaimer)];
    const [first, second] = [reclaimer.enter(), reclaimer.enter()];
    reclaimer.retire([old]);
    const third = reclaimer.enter();
    first();
    expect(old).toHaveLength(SIZE);
    second();
    expect(old).toHaveLength(0);
    reclaimer.retire([current]);
    expect(current).toHaveLength(SIZE);
    third();
    expect(current).toHaveLength(0);
  });

  it("counts a reader once, however often it leaves", () => {
    const reclaimer = new Reclaimer();
    const lines = made(reclaimer);
    const [leave, stay] = [reclaimer.enter(), reclaimer.enter()];
    leave();
    leave();
    reclaimer.retire([lines]);
    expect(lines).toHaveLength(SIZE);
    stay();
    expect(lines).toHaveLength(0);
  });

  it("is left to the collector when somebody keeps what was current then", () => {
    const reclaimer = new Reclaimer();
    const [replaced, kept] = [made(reclaimer), made(reclaimer)];
    const leave = reclaimer.enter();
    reclaimer.retire([replaced]);
    reclaimer.keep();
    leave();
    reclaimer.retire([kept]);
    const later = made(reclaimer);
    reclaimer.retire([later]);
    expect([replaced, kept, later].map(({ length }) => length)).toEqual([SIZE, SIZE, 0]);
  });

  it("is not touched where it belongs to others too", () => {
    const reclaimer = new Reclaimer();
    const shared = Buffer.from(new ArrayBuffer(2 * SIZE), 0, SIZE);
    reclaimer.adopt(shared);
    const stranger = Buffer.allocUnsafeSlow(SIZE);
    reclaimer.retire([shared, stranger]);
    expect([shared, stranger].map(({ length }) => length)).toEqual([SIZE, SIZE]);
  });

  it("has readers that came first cut when they hold more than the limit", () => {
    const reclaimer = new Reclaimer(() => 2 * SIZE);
    const cut: string[] = [];
    const leave = new Map<string, () => void>();
    const enter = (name: string) =>
      leave.set(
        name,
        reclaimer.enter(() => void cut.push(name)),
      );
    const pages = Array.from({ length: 4 }, () => made(reclaimer));
    const retire = (index: number) => reclaimer.retire(pages.slice(index, index + 1));
    enter("first");
    retire(0);
    enter("second");
    retire(1);
    // One that cannot be cut, such as a page in the making.
    const end = reclaimer.enter();
    expect(cut).toEqual([]);
    retire(2);
    expect(cut).toEqual(["first"]);
    leave.get("first")?.();
    expect(pages.map(({ length }) => length)).toEqual([0, SIZE, SIZE, SIZE]);
    retire(3);
    expect(cut).toEqual(["first", "second"]);
    leave.get("second")?.();
    end();
    expect(pages.map(({ length }) => length)).toEqual([0, 0, 0, 0]);
  });
});
