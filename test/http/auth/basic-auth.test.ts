import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test, vi } from "vitest";
import { ConfigDocument } from "../../../src/config/document.ts";
import {
  bcryptCost,
  type Compare,
  PasswordChecker,
  parseBasicAuth,
  readUsers,
} from "../../../src/http/auth/basic-auth.ts";
import { BcryptThread } from "../../../src/http/auth/bcrypt-thread.ts";
import { ALICE, CAROL } from "../web-config/cases.ts";

const hashOfCost = (cost: number) => `$2y$${String(cost).padStart(2, "0")}$${"a".repeat(53)}`;

function fakeThread(matches: (password: string) => boolean = () => false) {
  const compare = vi.fn<Compare>(async ({ password }) => matches(password));
  return { compare, costs: () => compare.mock.calls.map(([{ hash }]) => bcryptCost(hash)) };
}

describe("check of passwords", () => {
  const users = new Map([["alice", ALICE]]);

  test("computes each password once for any result", async () => {
    const { compare } = fakeThread((password) => password === "wonderland");
    const checker = new PasswordChecker(compare);
    for (let round = 0; round < 3; round++) {
      expect(await checker.check(users, "alice", "wonderland")).toBe("right");
      expect(await checker.check(users, "alice", "mirror")).toBe("wrong");
    }
    expect(compare).toHaveBeenCalledTimes(2);
  });

  test("computes two wrong passwords that take turns once each", async () => {
    const { compare } = fakeThread();
    const checker = new PasswordChecker(compare);
    for (const password of ["a", "b", "a", "b"]) expect(await checker.check(users, "alice", password)).toBe("wrong");
    expect(compare).toHaveBeenCalledTimes(2);
  });

  test("forgets only the oldest of more than a hundred wrong passwords", async () => {
    const { compare } = fakeThread();
    const checker = new PasswordChecker(compare);
    const check = (guess: number) => checker.check(users, "alice", `${guess}`);
    for (let guess = 0; guess <= 100; guess++) await check(guess);
    await check(1);
    expect(compare).toHaveBeenCalledTimes(101);
    await check(0);
    expect(compare).toHaveBeenCalledTimes(102);
  });

  test("starts over after forget", async () => {
    const { compare } = fakeThread((password) => password === "wonderland");
    const checker = new PasswordChecker(compare);
    for (let round = 0; round < 2; round++) {
      for (const password of ["wonderland", "mirror"]) await checker.check(users, "alice", password);
      checker.forget();
    }
    expect(compare).toHaveBeenCalledTimes(4);
  });

  test("computes each password once for concurrent requests", async () => {
    const { compare } = fakeThread(() => true);
    const checker = new PasswordChecker(compare);
    const verdicts = await Promise.all(Array.from({ length: 100 }, () => checker.check(users, "alice", "x")));
    expect(new Set(verdicts)).toEqual(new Set(["right"]));
    expect(compare).toHaveBeenCalledTimes(1);
  });

  test("keeps a right password during many wrong ones", async () => {
    const { compare } = fakeThread((password) => password === "wonderland");
    const checker = new PasswordChecker(compare);
    await checker.check(users, "alice", "wonderland");
    for (let guess = 0; guess < 500; guess++) expect(await checker.check(users, "alice", `${guess}`)).toBe("wrong");
    const before = compare.mock.calls.length;
    expect(await checker.check(users, "alice", "wonderland")).toBe("right");
    expect(compare).toHaveBeenCalledTimes(before);
  });

  test("repeats for another hash or a removed user", async () => {
    const { compare } = fakeThread((password) => password === "wonderland");
    const checker = new PasswordChecker(compare);
    expect(await checker.check(users, "alice", "wonderland")).toBe("right");
    expect(await checker.check(new Map([["alice", CAROL]]), "alice", "wonderland")).toBe("right");
    expect(compare).toHaveBeenCalledTimes(2);
    expect(await checker.check(new Map([["bob", CAROL]]), "alice", "wonderland")).toBe("wrong");
  });

  test("rejects unknown users even if the hash matches", async () => {
    const checker = new PasswordChecker(fakeThread(() => true).compare);
    expect(await checker.check(users, "mallory", "x")).toBe("wrong");
    expect(await checker.check(users, "mallory", "x")).toBe("wrong");
  });

  test("waits behind at most sixteen others", async () => {
    const never = new PasswordChecker(() => new Promise(() => undefined));
    for (let guess = 0; guess < 16; guess++) void never.check(users, "alice", `${guess}`);
    expect(await never.check(users, "alice", "one more")).toBe("busy");
  });

  test("repeats after a failed comparison", async () => {
    const compare = vi.fn<Compare>().mockRejectedValueOnce(new Error("broken")).mockResolvedValueOnce(true);
    const checker = new PasswordChecker(compare);
    await expect(checker.check(users, "alice", "x")).rejects.toThrow("broken");
    expect(await checker.check(users, "alice", "x")).toBe("right");
  });
});

describe("work for an unknown name", () => {
  test("equals that for some user, and is constant for each name", async () => {
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
    const users = new Map([["alice", hashOfCost(7)]]);
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

describe("thread of password checks", () => {
  test("does not block the event loop", async () => {
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

  test("supports all spellings of a hash and all characters", async () => {
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

  test("ends current work when it closes", async () => {
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
])("Authorization %j contains %j", (header, expected) => {
  expect(parseBasicAuth(header)).toEqual(expected);
});

function usersOf(yaml: string): ReturnType<typeof readUsers> {
  return readUsers(new ConfigDocument(yaml, "web.yaml", undefined).value);
}

test("users can have any name", () => {
  expect(usersOf(`{ alice: ${ALICE}, constructor: ${ALICE} }`)).toEqual(
    new Map([
      ["alice", ALICE],
      ["constructor", ALICE],
    ]),
  );
});

test("users cannot have the name __proto__", () => {
  const refused = { path: ["basic_auth_users", "__proto__"], text: "this user name is reserved" };
  expect(usersOf(`{ alice: ${ALICE}, __proto__: ${ALICE} }`)).toEqual(refused);
});
