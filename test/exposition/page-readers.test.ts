import { expect, test } from "vitest";
import { PageReaders } from "../../src/exposition/page-readers.ts";
import { type Content, NO_CONTENT } from "../../src/exposition/representation.ts";

const content = (bytes: number) => ({ ...NO_CONTENT, bytes });

function setUp() {
  const readers = new PageReaders(() => 25);
  const cut: string[] = [];
  const enter = (name: string, page: Content = content(10)) => {
    const { promise: used, resolve } = Promise.withResolvers<void>();
    readers.enter(page, { used, gone: new AbortController().signal, cut: () => void cut.push(name) });
    return async () => {
      resolve();
      await used;
    };
  };
  return { enter, cut };
}

test("the oldest readers are cut if old pages exceed the limit", async () => {
  const { enter, cut } = setUp();
  const shared = content(10);
  enter("first", shared);
  enter("second", shared);
  const leave = enter("third");
  expect(cut).toEqual([]);
  await leave();
  enter("fourth");
  expect(cut).toEqual([]);
  // A shared page goes with its last reader.
  enter("fifth");
  expect(cut).toEqual(["first", "second"]);
});

test("the newest reader may have a page of any size", () => {
  const { enter, cut } = setUp();
  enter("large", content(100));
  enter("larger", content(200));
  expect(cut).toEqual(["large"]);
});
