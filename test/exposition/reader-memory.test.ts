import { describe, expect, test } from "vitest";
import { CompressedReaders, FreedLines, intact, LineMemory } from "../../src/exposition/reader-memory.ts";
import { NO_CONTENT } from "../../src/exposition/representation.ts";

const SIZE = 8;

function made(memory: LineMemory): Buffer {
  const buffer = Buffer.allocUnsafeSlow(SIZE);
  memory.adopt(buffer);
  return buffer;
}

describe("LineMemory", () => {
  test("frees lines immediately without readers", () => {
    const memory = new LineMemory();
    const lines = made(memory);
    memory.retire([lines]);
    expect(lines).toHaveLength(0);
  });

  test("keeps lines until their last reader leaves", () => {
    const memory = new LineMemory();
    const [old, current] = [made(memory), made(memory)];
    const [first, second] = [memory.enter(), memory.enter()];
    memory.retire([old]);
    const third = memory.enter();
    first();
    expect(old).toHaveLength(SIZE);
    second();
    expect(old).toHaveLength(0);
    memory.retire([current]);
    expect(current).toHaveLength(SIZE);
    third();
    expect(current).toHaveLength(0);
  });

  test("counts a reader once even if it leaves repeatedly", () => {
    const memory = new LineMemory();
    const lines = made(memory);
    const [leave, stay] = [memory.enter(), memory.enter()];
    leave();
    leave();
    memory.retire([lines]);
    expect(lines).toHaveLength(SIZE);
    stay();
    expect(lines).toHaveLength(0);
  });

  test("leaves lines to the garbage collector if a caller keeps them", () => {
    const memory = new LineMemory();
    const [replaced, kept] = [made(memory), made(memory)];
    const leave = memory.enter();
    memory.retire([replaced]);
    memory.keep();
    leave();
    memory.retire([kept]);
    const later = made(memory);
    memory.retire([later]);
    expect([replaced, kept, later].map(({ length }) => length)).toEqual([SIZE, SIZE, 0]);
  });

  test("ignores shared memory", () => {
    const memory = new LineMemory();
    const shared = Buffer.from(new ArrayBuffer(2 * SIZE), 0, SIZE);
    memory.adopt(shared);
    const stranger = Buffer.allocUnsafeSlow(SIZE);
    memory.retire([shared, stranger]);
    expect([shared, stranger].map(({ length }) => length)).toEqual([SIZE, SIZE]);
  });

  test("makes a page fail whose lines are freed while it is sent", () => {
    const memory = new LineMemory();
    const page = [made(memory), made(memory)];
    const sent = intact(page)[Symbol.iterator]();
    expect(sent.next().value).toBe(page[0]);
    memory.retire(page);
    expect(() => sent.next()).toThrow(FreedLines);
  });

  test("cuts the oldest readers if they hold more than the limit", () => {
    const memory = new LineMemory(() => 2 * SIZE);
    const cut: string[] = [];
    const leave = new Map<string, () => void>();
    const enter = (name: string) =>
      leave.set(
        name,
        memory.enter(() => void cut.push(name)),
      );
    const pages = Array.from({ length: 4 }, () => made(memory));
    const retire = (index: number) => memory.retire(pages.slice(index, index + 1));
    enter("first");
    retire(0);
    enter("second");
    retire(1);
    // Like a page in the making.
    const end = memory.enter();
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

describe("CompressedReaders", () => {
  const content = (bytes: number) => ({ ...NO_CONTENT, bytes });

  test("cuts the oldest readers if old pages exceed the limit", () => {
    const readers = new CompressedReaders(() => 25);
    const cut: string[] = [];
    const enter = (name: string, page = content(10)) => readers.enter(page, () => void cut.push(name));
    const shared = content(10);
    enter("first", shared);
    enter("second", shared);
    const leave = enter("third");
    expect(cut).toEqual([]);
    leave();
    enter("fourth");
    expect(cut).toEqual([]);
    // A shared page goes with its last reader.
    enter("fifth");
    expect(cut).toEqual(["first", "second"]);
  });

  test("permits the newest reader any page size", () => {
    const readers = new CompressedReaders(() => 25);
    const cut: string[] = [];
    readers.enter(content(100), () => void cut.push("large"));
    readers.enter(content(200), () => void cut.push("larger"));
    expect(cut).toEqual(["large"]);
  });
});
