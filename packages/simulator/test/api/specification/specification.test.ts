import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { loadContract } from "../../../src/api/contract/contract.ts";
import { changesNothing, show, startSpecified } from "./driver.ts";
import type { Row } from "./row.ts";
import { TABLES } from "./rows.ts";
import type { Running } from "./running.ts";

/** Services of read-only rows, by spelling and release. */
const shared = new Map<string, Promise<Running>>();
const contract = await loadContract();
let before: unknown;
let own: Running | undefined;

beforeAll(async () => {
  await Promise.all([sharedBy({}), sharedBy({ spelling: "live" })]);
  before = await everything();
});
afterEach(async () => {
  await own?.simulator.close();
  own = undefined;
});
afterAll(async () => {
  for (const { simulator } of await Promise.all(shared.values())) await simulator.close();
});

function sharedBy({ spelling = "specification", release }: Pick<Row, "spelling" | "release">): Promise<Running> {
  const key = `${spelling} ${release}`;
  const running = shared.get(key) ?? startSpecified({ spelling, release });
  shared.set(key, running);
  return running;
}

async function everything(): Promise<unknown> {
  const services = [await sharedBy({}), await sharedBy({ spelling: "live" })];
  const lists = services.map((each) => each.send("GET", "/experimental/objects?include=*"));
  return (await Promise.all(lists)).map(({ json }) => json);
}

describe.each(Object.entries(TABLES))("specification: %s", (_, rows) => {
  test.each(rows)("$operation: $rule: $answers", async (row) => {
    if (row.large !== true && changesNothing(row, contract)) return show(row, await sharedBy(row));
    own = await startSpecified(row);
    await show(row, own);
  });
});

test("refused requests change nothing", async () => {
  expect(await everything()).toEqual(before);
});
