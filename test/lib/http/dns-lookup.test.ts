import { globSync, readFileSync } from "node:fs";
import type { LookupFunction } from "node:net";
import { expect, test } from "vitest";
import { createSharedLookup, hasPendingLookups } from "../../../src/lib/http/dns-lookup.ts";

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
