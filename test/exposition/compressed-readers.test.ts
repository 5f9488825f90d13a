import { expect, it } from "vitest";
import { CompressedReaders } from "../../src/exposition/compressed-readers.ts";
import { NO_CONTENT } from "../../src/exposition/ready-form.ts";

const content = (bytes: number) => ({ ...NO_CONTENT, bytes });

it("cuts those who came first when old pages that they hold exceed the limit", () => {
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
  // Three pages: the one that two hold goes when both have gone.
  enter("fifth");
  expect(cut).toEqual(["first", "second"]);
});

it("lets the newest have its page, whatever its size", () => {
  const readers = new CompressedReaders(() => 25);
  const cut: string[] = [];
  readers.enter(content(100), () => void cut.push("large"));
  readers.enter(content(200), () => void cut.push("larger"));
  expect(cut).toEqual(["large"]);
});
