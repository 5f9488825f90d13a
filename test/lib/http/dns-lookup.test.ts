import { globSync, readFileSync } from "node:fs";
import type { LookupFunction } from "node:net";
import { expect, test } from "vitest";
import { createSharedLookup, createStaleLookup, hasPendingLookups } from "../../../src/lib/http/dns-lookup.ts";
import { ManualClock } from "../../support/manual-clock.ts";

type Callback = Parameters<LookupFunction>[2];

function resolver() {
  const asked: { readonly hostname: string; readonly answer: Callback }[] = [];
  const lookup = createSharedLookup((hostname, _options, answer) => void asked.push({ hostname, answer }));
  const resolve = (hostname: string, family = 0) => {
    const { promise, resolve: done } = Promise.withResolvers<unknown[]>();
    lookup(hostname, { family, all: true }, (...answer) => done(answer));
    return promise;
  };
  return { asked, resolve };
}

const HERE = [{ address: "192.0.2.1", family: 4 }];
const THERE = [{ address: "192.0.2.2", family: 4 }];

test("an unanswered name has one pending lookup and does not block others", async () => {
  const { asked, resolve } = resolver();
  const all = [resolve("hangs.test"), resolve("hangs.test"), resolve("hangs.test"), resolve("other.test")];
  expect(asked.map(({ hostname }) => hostname)).toEqual(["hangs.test", "other.test"]);
  asked[0]?.answer(null, HERE);
  expect(hasPendingLookups()).toBe(true);
  asked[1]?.answer(null, []);
  // Lookups of earlier tests may be pending.
  await expect.poll(hasPendingLookups).toBe(false);
  expect(await Promise.all(all)).toEqual([
    [null, HERE],
    [null, HERE],
    [null, HERE],
    [null, []],
  ]);
});

test("waiting callers share an answer or failure, and later calls or other families ask again", async () => {
  const { asked, resolve } = resolver();
  const failure = Object.assign(new Error("no such name"), { code: "ENOTFOUND" });
  const first = resolve("gone.test");
  asked[0]?.answer(failure, []);
  expect(await first).toEqual([failure, []]);
  void resolve("gone.test");
  void resolve("gone.test", 6);
  expect(asked).toHaveLength(3);
  for (const { answer } of asked.slice(1)) answer(null, HERE);
});

/** The resolver answers when the test says so. */
function staleLookup() {
  const clock = new ManualClock();
  const asked: Callback[] = [];
  const answers: unknown[] = [];
  const warnings: string[] = [];
  const lookup = createStaleLookup({
    clock,
    resolve: (_hostname, _options, answer) => void asked.push(answer),
    onStale: ({ message }) => void warnings.push(message),
  });
  const ask = () => lookup("prtg.test", { all: true }, (error, found) => void answers.push(error?.message ?? found));
  return { clock, asked, answers, warnings, ask };
}

const SILENT = "prtg.test: no answer from the resolver within 3 s";

test("an answer in time is the only one, also after the limit", async () => {
  const { clock, asked, answers, warnings, ask } = staleLookup();
  ask();
  asked[0]?.(null, HERE);
  ask();
  asked[1]?.(null, THERE);
  await clock.advance(4_000);
  expect(answers).toEqual([HERE, THERE]);
  expect(warnings).toEqual([]);
});

test("a silent resolver gives the last addresses after three seconds, and a late answer the next ones", async () => {
  const { clock, asked, answers, warnings, ask } = staleLookup();
  ask();
  asked[0]?.(null, HERE);
  ask();
  await clock.advance(2_999);
  expect(answers).toEqual([HERE]);
  await clock.advance(1);
  expect(answers).toEqual([HERE, HERE]);
  asked[1]?.(null, THERE);
  ask();
  await clock.advance(3_000);
  expect(answers).toEqual([HERE, HERE, THERE]);
  expect(warnings).toEqual([SILENT, SILENT]);
});

test.each([
  { minutes: 60, expected: HERE },
  { minutes: 61, expected: "no such name" },
])("a failed lookup after $minutes minutes gives $expected", async ({ minutes, expected }) => {
  const { clock, asked, answers, ask } = staleLookup();
  ask();
  asked[0]?.(null, HERE);
  await clock.advance(minutes * 60_000);
  ask();
  asked[1]?.(Object.assign(new Error("no such name"), { code: "ENOTFOUND" }), []);
  expect(answers).toEqual([HERE, expected]);
});

test("all connection pools resolve names with this lookup", () => {
  const sources = globSync("src/**/*.ts");
  const having = (pattern: RegExp) => sources.filter((path) => pattern.test(readFileSync(path, "utf8"))).sort();
  expect(having(/import (?!type\b)(?!\{ type \w+ \}).* from "node:dns/)).toEqual(["src/lib/http/dns-lookup.ts"]);
  // The settings' type requires a lookup.
  for (const path of having(/new Pool\(|buildConnector\(/)) {
    expect([path, /[lL]ookup|(settings|connect): ConnectSettings/.test(readFileSync(path, "utf8"))]).toEqual([
      path,
      true,
    ]);
  }
});
