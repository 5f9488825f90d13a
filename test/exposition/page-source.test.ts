import { describe, expect, test, vi } from "vitest";
import { type DeflatedChunk, inflateChunk } from "../../src/exposition/gzip.ts";
import { LineBuffer } from "../../src/exposition/line-buffer.ts";
import { PageSource, UNLIMITED } from "../../src/exposition/page-source.ts";
import type { RenderedStore } from "../../src/exposition/rendered-block.ts";
import { systemClock } from "../../src/lib/clock.ts";
import type { MetricFamily } from "../../src/mapping/families/family.ts";
import { BLOCK_SIZE } from "../../src/store/series-block.ts";
import { Store } from "../../src/store/store.ts";

const FAMILY: MetricFamily = { name: "value", type: "gauge", help: "", labels: ["id"] };
const BLOCKS = 3;

/** Three blocks. */
async function setUp() {
  const store = new Store([FAMILY]);
  const pages = new PageSource(store, systemClock, UNLIMITED);
  const render = async () => (await pages.current()).page;
  const table = store.table(FAMILY);
  await store.commit(() => {
    for (let id = 0; id < BLOCKS * BLOCK_SIZE; id++) table.set(table.add([String(id)]), 0);
  });
  const changeAll = (value: number) =>
    store.commit(() => {
      for (let block = 0; block < BLOCKS; block++) table.set(block * BLOCK_SIZE + 7, value);
    });
  return { store, table, render, changeAll };
}

function linesOf({ families }: RenderedStore): DeflatedChunk[] {
  return families.flatMap(({ blocks }) => blocks.map(({ lines }) => lines));
}

function textOf(page: RenderedStore): string {
  return linesOf(page).map(inflateChunk).join("");
}

const expected = (value: number) =>
  Array.from(
    { length: BLOCKS * BLOCK_SIZE },
    (_, id) => `value{id="${id}"} ${id % BLOCK_SIZE === 7 ? value : 0}\n`,
  ).join("");

describe("lines of a page", () => {
  test("stay the same after a change", async () => {
    const { changeAll, render } = await setUp();
    const before = await render();
    await changeAll(1);
    expect(textOf(await render())).toBe(expected(1));
    expect(textOf(before)).toBe(expected(0));
  });

  test("are shared by pages in unchanged blocks", async () => {
    const { store, table, render } = await setUp();
    const [first, second, third] = linesOf(await render());
    await store.commit(() => table.set(BLOCK_SIZE + 7, 1));
    const after = linesOf(await render());
    expect(after[0]).toBe(first);
    expect(after[1]).not.toBe(second);
    expect(after[2]).toBe(third);
  });

  test("go with their table", async () => {
    const { store, render } = await setUp();
    await render();
    await store.reshape([FAMILY], async () => () => undefined);
    expect(linesOf(await render())).toEqual([]);
  });

  test("are complete after a rendering that failed midway", async () => {
    const { store, table, changeAll, render } = await setUp();
    await render();
    await changeAll(1);
    await store.commit(() => table.relabel(2 * BLOCK_SIZE, ["other"]));
    const { text } = LineBuffer.prototype;
    const write = vi.spyOn(LineBuffer.prototype, "text").mockImplementation(function (this: LineBuffer, line) {
      if (line.includes("other")) throw new Error("broken");
      text.call(this, line);
    });
    await expect(render()).rejects.toThrow("broken");
    write.mockRestore();
    expect(textOf(await render())).toBe(expected(1).replace(`value{id="${2 * BLOCK_SIZE}"}`, 'value{id="other"}'));
  });
});
