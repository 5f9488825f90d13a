import type { AccessLevel, Scope, User, UserGroup, UserType } from "./accounts.ts";

/** A group of the world as it begins. */
const GROUPS: readonly Omit<UserGroup, "scope">[] = [
  { id: "200", name: "PRTG Administrators", administrators: true, activeDirectory: false },
  { id: "201", name: "PRTG Users Group", administrators: false, activeDirectory: false },
  { id: "202", name: "Network Operations Center", administrators: false, activeDirectory: false },
  { id: "203", name: "Facility Management", administrators: false, activeDirectory: false },
  { id: "204", name: "Branch IT", administrators: false, activeDirectory: true },
];

interface UserSeed {
  readonly id: string;
  readonly loginName: string;
  readonly name: string;
  readonly type: UserType;
  /** Ids of groups, the primary one first. */
  readonly groups: readonly [string, ...string[]];
  readonly acknowledgesAlarms?: true;
  readonly paused?: true;
  /** Days since the last login; undefined: never. */
  readonly idleDays?: number;
}

const USERS: readonly UserSeed[] = [
  { id: "110", loginName: "ada.brandt", name: "Ada Brandt", type: "readwrite", groups: ["200", "202"], idleDays: 1 },
  { id: "111", loginName: "noor.haddad", name: "Noor Haddad", type: "readwrite", groups: ["202"], idleDays: 0.1 },
  { id: "112", loginName: "noc-wall", name: "NOC Wall Display", type: "readonly", groups: ["202"], idleDays: 0.01 },
  {
    id: "113",
    loginName: "helpdesk",
    name: 'Help Desk "1st Level"',
    groups: ["201", "203"],
    type: "readonly",
    acknowledgesAlarms: true,
    idleDays: 0.3,
  },
  {
    id: "114",
    loginName: "facility",
    name: "Zoë O'Neil",
    groups: ["203"],
    type: "readonly",
    acknowledgesAlarms: true,
    idleDays: 6,
  },
  { id: "115", loginName: "BRANCH\\kowalska", name: "Małgorzata Kowalska", type: "readwrite", groups: ["204"] },
  {
    id: "116",
    loginName: "p.devries",
    name: "Piet de Vries",
    groups: ["201"],
    type: "readwrite",
    paused: true,
    idleDays: 211,
  },
];

/** Keys whose text is not known to any client. */
export const SEEDED_KEYS: readonly {
  readonly loginName: string;
  readonly name: string;
  readonly description: string;
  readonly accessLevel: AccessLevel;
  readonly ageDays: number;
  readonly lifetimeDays?: number;
}[] = [
  {
    loginName: "noc-wall",
    name: "Grafana",
    description: "Dashboards on the wall",
    accessLevel: "READ",
    ageDays: 190,
  },
  {
    loginName: "noor.haddad",
    name: "Pager bridge",
    description: "Acknowledges what is taken over",
    accessLevel: "ACKNOWLEDGE",
    ageDays: 72,
  },
  {
    loginName: "ada.brandt",
    name: "Provisioning",
    description: "Creates devices from the inventory",
    accessLevel: "WRITE",
    ageDays: 40,
  },
  { loginName: "ada.brandt", name: "To be decided", description: "", accessLevel: "NOT_SET", ageDays: 3 },
  {
    loginName: "p.devries",
    name: "Monthly report",
    description: "Runs on the old file server",
    accessLevel: "FULL",
    ageDays: 400,
    lifetimeDays: 365,
  },
];

/** Which part of the tree the groups see that do not see all of it. */
export interface Scopes {
  readonly facility: Scope;
  readonly branch: Scope;
}

const DAY_MS = 86_400_000;

/** The groups and users that every installation of the simulator has beside its configured ones. */
export function seedAccounts(scopes: Scopes, now: number): { groups: UserGroup[]; users: User[] } {
  const scopeOf: Readonly<Record<string, Scope>> = { "203": scopes.facility, "204": scopes.branch };
  const groups = GROUPS.map((group): UserGroup => ({ ...group, scope: scopeOf[group.id] ?? "everything" }));
  const users = USERS.flatMap((seed): User[] => {
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
