import { describe, expect, test, vi } from "vitest";
import { PageSource, UNLIMITED } from "../../src/exposition/page-source.ts";
import { LineMemory } from "../../src/exposition/reader-memory.ts";
import { LineBuffer, type RenderedStore } from "../../src/exposition/rendered-block.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { yieldToEventLoop } from "../../src/lib/yielding.ts";
import type { MetricFamily } from "../../src/mapping/families/family.ts";
import { BLOCK_SIZE } from "../../src/store/series-block.ts";
import { Store } from "../../src/store/store.ts";

const FAMILY: MetricFamily = { name: "value", type: "gauge", help: "", labels: ["id"] };
const BLOCKS = 3;
const SHOWN = () => true;
const NOT_SHOWN = () => false;

/** Three blocks. */
async function setUp() {
  const store = new Store([FAMILY]);
  const memory = new LineMemory();
  const pages = new PageSource(store, memory, systemClock, UNLIMITED);
  const render = async (keepsLines: () => boolean, onRendered?: () => void) =>
    (await pages.current(keepsLines, onRendered)).page;
  const table = store.table(FAMILY);
  await store.commit(() => {
    for (let id = 0; id < BLOCKS * BLOCK_SIZE; id++) table.set(table.add([String(id)]), 0);
  });
  const changeAll = (value: number) =>
    store.commit(() => {
      for (let block = 0; block < BLOCKS; block++) table.set(block * BLOCK_SIZE + 7, value);
    });
  return { store, table, memory, pages, render, changeAll };
}

function linesOf({ families }: RenderedStore): Buffer[] {
  return families.flatMap(({ blocks }) => blocks.map(({ bytes }) => bytes));
}

function textOf(page: RenderedStore): string {
  return linesOf(page).join("");
}

const expected = (value: number) =>
  Array.from(
    { length: BLOCKS * BLOCK_SIZE },
    (_, id) => `value{id="${id}"} ${id % BLOCK_SIZE === 7 ? value : 0}\n`,
  ).join("");

describe("lines of a page", () => {
  test("return block by block during replacement if no reader needs them", async () => {
    const { changeAll, render } = await setUp();
    const before = await render(NOT_SHOWN);
    const old = linesOf(before);
    await changeAll(1);
    let isDone = false;
    const after = render(NOT_SHOWN).finally(() => {
      isDone = true;
    });
    const left = new Set<number>();
    while (!isDone) {
      const held = old.filter(({ length }) => length > 0).length;
      left.add(held);
      await yieldToEventLoop();
    }
    expect([...left]).toEqual(expect.arrayContaining([2, 1]));
    expect(old.map(({ length }) => length)).toEqual([0, 0, 0]);
    expect(textOf(await after)).toBe(expected(1));
  });

  test("stay until a pending page takes them", async () => {
    const { pages, changeAll, memory, render } = await setUp();
    const before = await render(SHOWN);
    await changeAll(1);
    await render(SHOWN);
    expect(textOf(before)).toBe(expected(0));
    memory.retire(pages.takeReplaced());
    expect(textOf(before)).toBe("");
    expect(pages.takeReplaced()).toEqual([]);
  });

  test("stay for readers of their page", async () => {
    const { changeAll, memory, render } = await setUp();
    let leave = () => {};
    const page = await render(NOT_SHOWN, () => {
      leave = memory.enter();
    });
    await changeAll(1);
    const after = await render(NOT_SHOWN);
    expect(textOf(page)).toBe(expected(0));
    leave();
    expect(textOf(page)).toBe("");
    expect(textOf(after)).toBe(expected(1));
  });

  test("stay in unchanged blocks", async () => {
    const { store, table, render } = await setUp();
    const [first, second, third] = linesOf(await render(NOT_SHOWN));
    await store.commit(() => table.set(BLOCK_SIZE + 7, 1));
    const after = linesOf(await render(NOT_SHOWN));
    expect(after[0]).toBe(first);
    expect(second).toHaveLength(0);
    expect(after[2]).toBe(third);
  });

  test("return with their table", async () => {
    const { store, render } = await setUp();
    const old = linesOf(await render(NOT_SHOWN));
    await store.reshape([FAMILY], async () => () => undefined);
    expect(textOf(await render(NOT_SHOWN))).toBe("");
    expect(old.map(({ length }) => length)).toEqual([0, 0, 0]);
  });

  test.each([
    ["given back", NOT_SHOWN],
    ["kept for a page that is made of them", SHOWN],
  ])("are complete after a rendering that failed midway, with old ones %s", async (_what, keepsLines) => {
    const { store, table, changeAll, render } = await setUp();
    await render(keepsLines);
    await changeAll(1);
    await store.commit(() => table.relabel(2 * BLOCK_SIZE, ["other"]));
    const { text } = LineBuffer.prototype;
    const write = vi.spyOn(LineBuffer.prototype, "text").mockImplementation(function (this: LineBuffer, line) {
      if (line.includes("other")) throw new Error("broken");
      text.call(this, line);
    });
    await expect(render(keepsLines)).rejects.toThrow("broken");
    write.mockRestore();
    const after = await render(keepsLines);
    expect(textOf(after)).toBe(expected(1).replace(`value{id="${2 * BLOCK_SIZE}"}`, 'value{id="other"}'));
  });
});
