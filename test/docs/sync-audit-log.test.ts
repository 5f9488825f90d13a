import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { matcher, SyncRun } from "../sync/support/sync-run.ts";

const PAGE = readFileSync(new URL("../../docs/sync.md", import.meta.url), "utf8");
const [, EXAMPLE = ""] = /^```json\n(.*?)^```/ms.exec(PAGE) ?? [];

type Line = Readonly<Record<string, unknown>>;

/** The last line of each kind. */
async function realLines(): Promise<ReadonlyMap<string, Line>> {
  const run = new SyncRun();
  for (const id of ["1", "2"]) run.world.setFailing(id, true);
  run.world.silenceByPerson([matcher("sensor_id", "1")], 60);
  run.world.acknowledgeByPerson("2", 60);
  await run.rounds(1);
  run.world.setFailing("2", false);
  await run.rounds(1);
  return new Map(run.audit.map((text): [string, Line] => [JSON.parse(text).kind, JSON.parse(text)]));
}

/** Keys in the first column, by the row that says `of KIND`. */
function keysInTable(kind: string): string[] {
  const row = PAGE.split("\n").find((line) => line.includes(`| of \`${kind}\`:`)) ?? "";
  return [...(row.split("|")[1] ?? "").matchAll(/`(\w+)`/g)].map(([, key = ""]) => key);
}

test("docs/sync.md shows lines of the audit log as they are", async () => {
  const examples = EXAMPLE.trim()
    .split("\n")
    .map((text): Line => JSON.parse(text));
  const real = (await realLines()).get("acknowledge") ?? {};
  expect(examples.map(({ result }) => result)).toEqual(["planned", "done"]);
  for (const example of examples) expect(Object.keys(example)).toEqual(Object.keys(real));
});

test.each(["acknowledge", "silence", "expire"])(
  "docs/sync.md lists the keys of a line of %s in their order",
  async (kind) => {
    const [time, change, result, kindKey, ...keys] = Object.keys((await realLines()).get(kind) ?? {});
    expect([time, change, result, kindKey]).toEqual(["time", "change", "result", "kind"]);
    expect(keysInTable(kind)).toEqual(keys);
  },
);

test("docs/sync.md lists each reason to end a silence", () => {
  const source = readFileSync(new URL("../../src/sync/decide.ts", import.meta.url), "utf8");
  const reasons = [...source.matchAll(/\bend\("([^"]+)"\)/g)].map(([, reason = ""]) => reason);
  expect(reasons).toHaveLength(2);
  for (const reason of reasons) expect(PAGE).toContain(`\`${reason}\``);
});
