import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test, vi } from "vitest";
import { type Compare, PasswordChecker, parseBasicAuth } from "../../../src/http/auth/basic-auth.ts";
import { BcryptThread } from "../../../src/http/auth/bcrypt-thread.ts";
import { bcryptCost } from "../../../src/http/web-config/users.ts";
import { ALICE, CAROL } from "../web-config/cases.ts";

const hashOfCost = (cost: number) => `$2y$${String(cost).padStart(2, "0")}$${"a".repeat(53)}`;

function fakeThread(matches: (password: string) => boolean = () => false) {
  const compare = vi.fn<Compare>(async ({ password }) => matches(password));
  return { compare, costs: () => compare.mock.calls.map(([{ hash }]) => bcryptCost(hash)) };
}

describe("a password", () => {
  const users = new Map([["alice", ALICE]]);

  test("is computed once, whatever it comes to", async () => {
    const { compare } = fakeThread((password) => password === "wonderland");
    const checker = new PasswordChecker(compare);
    for (let round = 0; round < 3; round++) {
      expect(await checker.check(users, "alice", "wonderland")).toBe("right");
      expect(await checker.check(users, "alice", "mirror")).toBe("wrong");
    }
    expect(compare).toHaveBeenCalledTimes(2);
  });

  test("is computed once also for those who ask at the same time", async () => {
    const { compare } = fakeThread(() => true);
    const checker = new PasswordChecker(compare);
    const verdicts = await Promise.all(Array.from({ length: 100 }, () => checker.check(users, "alice", "x")));
    expect(new Set(verdicts)).toEqual(new Set(["right"]));
    expect(compare).toHaveBeenCalledTimes(1);
  });

  test("that is right is not forgotten over many wrong ones", async () => {
    const { compare } = fakeThread((password) => password === "wonderland");
    const checker = new PasswordChecker(compare);
    await checker.check(users, "alice", "wonderland");
    for (let guess = 0; guess < 500; guess++) expect(await checker.check(users, "alice", `${guess}`)).toBe("wrong");
    const before = compare.mock.calls.length;
    expect(await checker.check(users, "alice", "wonderland")).toBe("right");
    expect(compare).toHaveBeenCalledTimes(before);
  });

  test("counts for its hash alone: another hash, or a user who is gone, is another question", async () => {
    const { compare } = fakeThread((password) => password === "wonderland");
    const checker = new PasswordChecker(compare);
    expect(await checker.check(users, "alice", "wonderland")).toBe("right");
    expect(await checker.check(new Map([["alice", CAROL]]), "alice", "wonderland")).toBe("right");
    expect(compare).toHaveBeenCalledTimes(2);
    expect(await checker.check(new Map([["bob", CAROL]]), "alice", "wonderland")).toBe("wrong");
  });

  test("of nobody is wrong even if it should match", async () => {
    const checker = new PasswordChecker(fakeThread(() => true).compare);
    expect(await checker.check(users, "mallory", "x")).toBe("wrong");
    expect(await checker.check(users, "mallory", "x")).toBe("wrong");
  });

  test("does not wait behind more than sixteen others", async () => {
    const never = new PasswordChecker(() => new Promise(() => undefined));
    for (let guess = 0; guess < 16; guess++) void never.check(users, "alice", `${guess}`);
    expect(await never.check(users, "alice", "one more")).toBe("busy");
  });

  test("is asked for again when comparing has failed", async () => {
    const compare = vi.fn<Compare>().mockRejectedValueOnce(new Error("broken")).mockResolvedValueOnce(true);
    const checker = new PasswordChecker(compare);
    await expect(checker.check(users, "alice", "x")).rejects.toThrow("broken");
    expect(await checker.check(users, "alice", "x")).toBe("right");
  });
});

describe("the work for an unknown name", () => {
  test("is that for a user, the same each time for the same name, and that of each user for some name", async () => {
    const users = new Map([4, 7, 12].map((cost) => [`cost ${cost}`, hashOfCost(cost)]));
    const { compare, costs } = fakeThread();
    const checker = new PasswordChecker(compare);
    for (let name = 0; name < 60; name++) {
      await checker.check(users, `unknown ${name}`, "x");
      await checker.check(users, `unknown ${name}`, "y");
    }
    expect(new Set(costs())).toEqual(new Set([4, 7, 12]));
    const pairs = Array.from({ length: 60 }, (_, index) => costs().slice(2 * index, 2 * index + 2));
    expect(pairs.every(([first, second]) => first === second)).toBe(true);
  });

  test("takes as long as for a known one, with real bcrypt", async () => {
    const thread = new BcryptThread();
    const checker = new PasswordChecker((question) => thread.compare(question));
    const users = new Map([["alice", hashOfCost(9)]]);
    const times = { alice: [] as number[], mallory: [] as number[] };
    await checker.check(users, "alice", "to start the thread");
    for (let round = 0; round < 8; round++) {
      for (const name of ["alice", "mallory"] as const) {
        // All threads, no other programs.
        const started = process.cpuUsage();
        expect(await checker.check(users, name, `guess ${round}`)).toBe("wrong");
        const { user, system } = process.cpuUsage(started);
        times[name].push(user + system);
      }
    }
    const best = (all: readonly number[]) => Math.min(...all);
    const ratio = best(times.alice) / best(times.mallory);
    expect(ratio).toBeGreaterThan(0.5);
    expect(ratio).toBeLessThan(2);
    await thread.close();
  });
});

describe("the thread", () => {
  test("leaves the event loop alone", async () => {
    const thread = new BcryptThread();
    await thread.compare({ password: "x", hash: ALICE });
    let isOver = false;
    let turns = 0;
    const verdict = thread.compare({ password: "x", hash: hashOfCost(11) }).then(() => {
      isOver = true;
    });
    while (!isOver) {
      await sleep(1);
      turns++;
    }
    await verdict;
    expect(turns).toBeGreaterThan(10);
    await thread.close();
  });

  test("knows the spellings of the same hash, and passwords of any letters", async () => {
    const thread = new BcryptThread();
    for (const version of ["2a", "2b", "2y"]) {
      const hash = ALICE.replace("2y", version);
      expect(await thread.compare({ password: "wonderland", hash })).toBe(true);
      expect(await thread.compare({ password: "Wonderland", hash })).toBe(false);
    }
    expect(await thread.compare({ password: "\0💩\ud800".repeat(5_000), hash: ALICE })).toBe(false);
    await thread.close();
    await expect(thread.compare({ password: "x", hash: ALICE })).rejects.toThrow("closed");
  });

  test("ends what is under way when it is closed", async () => {
    const thread = new BcryptThread();
    const slow = thread.compare({ password: "x", hash: hashOfCost(20) });
    const failed = expect(slow).rejects.toThrow("ended");
    await sleep(50);
    await thread.close();
    await failed;
  });
});

test.each([
  [undefined, undefined],
  ["", undefined],
  ["Basic", undefined],
  [`Basic ${Buffer.from("a:b").toString("base64")}`, { name: "a", password: "b" }],
  [`basic  ${Buffer.from("a:b:c").toString("base64")}`, { name: "a", password: "b:c" }],
  [`Basic ${Buffer.from(":").toString("base64")}`, { name: "", password: "" }],
  [`Basic ${Buffer.from("ä:ö").toString("base64")}`, { name: "ä", password: "ö" }],
  [`Basic ${Buffer.from("ab").toString("base64")}`, undefined],
  [`Basic ${Buffer.from("a:b").toString("base64")} x`, undefined],
  ["Digest a:b", undefined],
])("Authorization %j holds %j", (header, expected) => {
  expect(parseBasicAuth(header)).toEqual(expected);
});
