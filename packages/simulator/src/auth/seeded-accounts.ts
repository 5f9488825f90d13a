import { z } from "zod";
import data from "../../data/accounts.json" with { type: "json" };
import { ACCESS_LEVELS, type Scope, USER_TYPES, type User, type UserGroup } from "./accounts.ts";

const text = z.string();
const SEEDS = z
  .strictObject({
    groups: z.array(
      z.strictObject({ id: text, name: text, administrators: z.boolean(), activeDirectory: z.boolean() }),
    ),
    users: z.array(
      z.strictObject({
        id: text,
        loginName: text,
        name: text,
        type: z.enum(USER_TYPES),
        /** The primary one first. */
        groups: z.array(text),
        acknowledgesAlarms: z.literal(true).optional(),
        paused: z.literal(true).optional(),
        /** Since the last login; left out: never. */
        idleDays: z.number().optional(),
      }),
    ),
    keys: z.array(
      z.strictObject({
        loginName: text,
        name: text,
        description: text,
        accessLevel: z.enum(ACCESS_LEVELS),
        ageDays: z.number(),
        lifetimeDays: z.number().optional(),
      }),
    ),
  })
  .parse(data);

/** Keys whose text is not known to any client. */
export const SEEDED_KEYS = SEEDS.keys;

/** Which part of the tree the groups see that do not see all of it. */
export interface Scopes {
  readonly facility: Scope;
  readonly branch: Scope;
}

const DAY_MS = 86_400_000;

/** The groups and users that every installation of the simulator has beside its configured ones. */
export function seedAccounts(scopes: Scopes, now: number): { groups: UserGroup[]; users: User[] } {
  const scopeOf: Readonly<Record<string, Scope>> = { "203": scopes.facility, "204": scopes.branch };
  const groups = SEEDS.groups.map((group): UserGroup => ({ ...group, scope: scopeOf[group.id] ?? "everything" }));
  const users = SEEDS.users.flatMap((seed): User[] => {
    const own = seed.groups.flatMap((id) => groups.filter((group) => group.id === id));
    const [primaryGroup] = own;
    if (primaryGroup === undefined) return [];
    return [
      {
        id: seed.id,
        loginName: seed.loginName,
        name: seed.name,
        type: seed.type,
        groups: own,
        primaryGroup,
        email: `${seed.loginName.replace(/^.*\\/, "")}@example.net`,
        acknowledgesAlarms: seed.acknowledgesAlarms ?? seed.type !== "readonly",
        ticketMail: seed.type !== "readonly",
        systemAdministrator: false,
        active: seed.paused === undefined,
        lastLoginAt: seed.idleDays === undefined ? undefined : Math.round(now - seed.idleDays * DAY_MS),
        password: undefined,
      },
    ];
  });
  return { groups, users };
}
