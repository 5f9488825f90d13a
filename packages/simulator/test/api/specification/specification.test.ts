import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { SpellingName } from "../../../src/release/release.ts";
import { changesNothing, show, startSpecified } from "./driver.ts";
import { TABLES } from "./rows.ts";
import type { Running } from "./running.ts";

/** Shared by read-only rows. */
let shared: Readonly<Record<SpellingName, Running>>;
let before: unknown;
let own: Running | undefined;

beforeAll(async () => {
  shared = {
    specification: await startSpecified(),
    live: await startSpecified({ spelling: "live" }),
  };
  before = await everything();
});
afterEach(async () => {
  await own?.simulator.close();
  own = undefined;
});
afterAll(() => Promise.all(Object.values(shared).map(({ simulator }) => simulator.close())));

async function everything(): Promise<unknown> {
  const lists = Object.values(shared).map((each) => each.send("GET", "/experimental/objects?include=*"));
  return (await Promise.all(lists)).map(({ json }) => json);
}

describe.each(Object.entries(TABLES))("specification: %s", (_, rows) => {
  test.each(rows)("$operation: $rule: $answers", async (row) => {
    const running = shared[row.spelling ?? "specification"];
    if (row.large !== true && changesNothing(row, running.contract)) return show(row, running);
    own = await startSpecified(row);
    await show(row, own);
  });
});

test("refused requests change nothing", async () => {
  expect(await everything()).toEqual(before);
});
