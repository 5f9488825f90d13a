import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { changesNothing, show, startSpecified } from "./driver.ts";
import { TABLES } from "./rows.ts";
import type { Running } from "./running.ts";

/** For rows that change nothing. */
let shared: Running;
let before: unknown;
/** For one row. */
let own: Running | undefined;

beforeAll(async () => {
  shared = await startSpecified();
  before = await everything();
});
afterEach(async () => {
  await own?.simulator.close();
  own = undefined;
});
afterAll(() => shared.simulator.close());

async function everything(): Promise<unknown> {
  return (await shared.send("GET", "/experimental/objects?include=*")).json;
}

describe.each(Object.entries(TABLES))("the specification: %s", (_, rows) => {
  test.each(rows)("$operation: $rule: $answers", async (row) => {
    if (row.large !== true && changesNothing(row, shared.contract)) return show(row, shared);
    own = await startSpecified(row);
    await show(row, own);
  });
});

test("what was refused has changed nothing", async () => {
  expect(await everything()).toEqual(before);
});
