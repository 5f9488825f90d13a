import { describe, expect, test } from "vitest";
import { isAdministrator } from "../../src/auth/accounts.ts";
import { type ConfiguredUser, Directory } from "../../src/auth/directory.ts";
import { seededRandom } from "../../src/random.ts";

const NOW = Date.UTC(2026, 2, 12);
const ADMINISTRATOR: ConfiguredUser = {
  loginName: "demo",
  name: "Admin",
  type: "administrator",
  scope: "everything",
  apiKey: "A",
  password: "p",
};

function directory(...others: readonly ConfiguredUser[]): Directory {
  return new Directory({
    configured: [ADMINISTRATOR, ...others],
    scopes: { facility: ["5", "6"], branch: ["2"] },
    now: NOW,
    random: seededRandom(1),
  });
}

describe("directory", () => {
  test("starts with the system administrator, who has the configured key and password", () => {
    const { systemAdministrator, users, keys } = directory();
    expect(users[0]).toBe(systemAdministrator);
    expect(systemAdministrator).toMatchObject({
      id: "100",
      loginName: "demo",
      systemAdministrator: true,
      password: "p",
    });
    expect(isAdministrator(systemAdministrator)).toBe(true);
    expect(keys.findByText("A")).toMatchObject({
      user: systemAdministrator,
      accessLevel: "FULL",
      expiresAt: undefined,
    });
    expect(users.filter((user) => user.systemAdministrator)).toEqual([systemAdministrator]);
  });

  test("creates a group for a user with a part of the tree", () => {
    const restricted: ConfiguredUser = {
      loginName: "part",
      name: "Part",
      type: "readwrite",
      scope: ["7"],
      apiKey: "B",
    };
    const whole: ConfiguredUser = { ...restricted, loginName: "whole", scope: "everything", apiKey: "C" };
    const { userByLogin, group } = bound(directory(restricted, whole));
    expect(userByLogin("part")?.groups).toEqual([group("211")]);
    expect(group("211")).toMatchObject({ scope: ["7"], administrators: false });
    expect(userByLogin("whole")?.primaryGroup).toBe(group("201"));
    expect(isAdministrator(userByLogin("whole") ?? fail())).toBe(false);
  });

  test("has users of every type, active and paused, without duplicates", () => {
    const { users } = directory();
    expect(new Set(users.map(({ type }) => type)).size).toBe(3);
    expect(new Set(users.map(({ active }) => active)).size).toBe(2);
    expect(new Set(users.map(({ id }) => id)).size).toBe(users.length);
    const taken = directory({ ...ADMINISTRATOR, loginName: "helpdesk", type: "readwrite", apiKey: "B" });
    expect(taken.users.filter(({ loginName }) => loginName === "helpdesk").map(({ id }) => id)).toEqual(["101"]);
  });

  test("assigns the requested parts of the tree", () => {
    const { group } = bound(directory());
    expect([group("203")?.scope, group("204")?.scope, group("202")?.scope]).toEqual([["5", "6"], ["2"], "everything"]);
  });

  test("knows primary and other members of groups", () => {
    const all = directory();
    const members = (id: string): string[] => all.membersOf(all.group(id) ?? fail()).map((user) => user.loginName);
    expect(members("202")).toEqual(["ada.brandt", "noor.haddad", "noc-wall"]);
    expect(members("203")).toEqual(["helpdesk", "facility"]);
    for (const user of all.users) expect(user.groups).toContain(user.primaryGroup);
  });

  test("has keys of all levels, including an expired key", () => {
    const { users, keys } = directory();
    const all = users.flatMap((user) => keys.of(user));
    expect(new Set(all.map(({ accessLevel }) => accessLevel)).size).toBe(5);
    expect(all.filter(({ expiresAt }) => (expiresAt ?? Infinity) < NOW).map(({ name }) => name)).toEqual([
      "Monthly report",
    ]);
    for (const { createdAt } of all) expect(createdAt).toBeLessThanOrEqual(NOW);
  });

  test("is the same for the same seed", () => {
    expect(JSON.stringify(directory())).toBe(JSON.stringify(directory()));
  });
});

function bound(all: Directory) {
  return {
    userByLogin: (name: string) => all.userByLogin(name),
    group: (id: string) => all.group(id),
  };
}

function fail(): never {
  throw new Error("not found");
}
