import type { Scope, User, UserGroup, UserType } from "./accounts.ts";
import { ApiKeys } from "./api-keys.ts";
import { type Scopes, SEEDED_KEYS, seedAccounts } from "./seeded-accounts.ts";

/** An account of the simulator's options. */
export interface ConfiguredUser {
  readonly loginName: string;
  readonly name: string;
  readonly type: UserType;
  readonly scope: Scope;
  readonly password?: string;
  /** Text of an API key with full access. */
  readonly apiKey: string;
}

export interface DirectoryOptions {
  /** The first one is the system administrator; there is always one. */
  readonly configured: readonly [ConfiguredUser, ...ConfiguredUser[]];
  readonly scopes: Scopes;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly random: () => number;
}

/** As in the product; the next ones belong to the other configured users. */
const SYSTEM_ADMINISTRATOR_ID = 100;
const OWN_GROUP_IDS = 210;
const KEY_IDS = 400;
const DAY_MS = 86_400_000;

/** All users, user groups and API keys. */
export class Directory {
  readonly groups: readonly UserGroup[];
  /** By ascending id. */
  readonly users: readonly User[];
  readonly systemAdministrator: User;
  readonly keys: ApiKeys;

  constructor({ configured, scopes, now, random }: DirectoryOptions) {
    const seeded = seedAccounts(scopes, now);
    const groups = [...seeded.groups];
    const own = configured.map((user, index) => configure(user, index, groups));
    const taken = new Set(own.map(({ loginName }) => loginName));
    this.groups = groups;
    this.users = [...own, ...seeded.users.filter(({ loginName }) => !taken.has(loginName))];
    this.systemAdministrator = own[0] ?? fail();
    this.keys = new ApiKeys(random, KEY_IDS);
    configured.forEach(({ apiKey }, index) => {
      const user = own[index] ?? fail();
      const draft = { name: "Configured key", description: "Given when the simulator was started" };
      this.keys.create(user, { ...draft, accessLevel: "FULL" }, now, apiKey);
    });
    this.#seedKeys(now);
  }

  user(id: string): User | undefined {
    return this.users.find((user) => user.id === id);
  }

  userByLogin(loginName: string): User | undefined {
    return this.users.find((user) => user.loginName === loginName);
  }

  group(id: string): UserGroup | undefined {
    return this.groups.find((group) => group.id === id);
  }

  membersOf(group: UserGroup): readonly User[] {
    return this.users.filter(({ groups }) => groups.includes(group));
  }

  #seedKeys(now: number): void {
    for (const { loginName, ageDays, lifetimeDays, ...draft } of SEEDED_KEYS) {
      const user = this.userByLogin(loginName);
      if (user === undefined) continue;
      const createdAt = Math.round(now - ageDays * DAY_MS);
      const expiresAt = lifetimeDays === undefined ? undefined : createdAt + lifetimeDays * DAY_MS;
      this.keys.create(user, { ...draft, expiresAt }, createdAt);
    }
  }
}

/** A configured user who does not see everything gets a group of his own, which is added to `groups`. */
function configure(user: ConfiguredUser, index: number, groups: UserGroup[]): User {
  const { loginName, name, type, scope, password } = user;
  const ofType = groups.find(({ administrators }) => administrators === (type === "administrator"));
  const ownGroup: UserGroup = {
    id: String(OWN_GROUP_IDS + index),
    name: `${name}'s Group`,
    administrators: false,
    activeDirectory: false,
    scope,
  };
  const primaryGroup = scope === "everything" && ofType !== undefined ? ofType : ownGroup;
  if (primaryGroup === ownGroup) groups.push(ownGroup);
  return {
    id: String(SYSTEM_ADMINISTRATOR_ID + index),
    loginName,
    name,
    type,
    password,
    primaryGroup,
    groups: [primaryGroup],
    email: `${loginName.replaceAll(/[^\w.+-]+/g, "-")}@example.net`,
    acknowledgesAlarms: type !== "readonly",
    ticketMail: index === 0,
    systemAdministrator: index === 0,
    active: true,
    lastLoginAt: undefined,
  };
}

function fail(): never {
  throw new RangeError("no such configured user");
}
