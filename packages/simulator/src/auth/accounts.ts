/** User accounts, their groups and their keys. Nothing here knows HTTP, or how the API spells things. */

/** Our reading: "user types" are not listed. These are the three that differ in what they may do. */
export const USER_TYPES = ["administrator", "readwrite", "readonly"] as const;
export type UserType = (typeof USER_TYPES)[number];

/** Our reading: each level permits what those before it do, and NOT_SET nothing. */
export const ACCESS_LEVELS = ["NOT_SET", "READ", "ACKNOWLEDGE", "WRITE", "FULL"] as const;
export type AccessLevel = (typeof ACCESS_LEVELS)[number];

/** What the members of a group see of the tree: all of it, or objects by id with what is below them. */
export type Scope = "everything" | readonly string[];

export interface UserGroup {
  readonly id: string;
  readonly name: string;
  /** Its members are administrators, whatever else they are. */
  readonly administrators: boolean;
  /** Its members come from Active Directory, and have their passwords there. */
  readonly activeDirectory: boolean;
  readonly scope: Scope;
}

export interface User {
  readonly id: string;
  readonly loginName: string;
  readonly name: string;
  readonly email: string;
  readonly type: UserType;
  /** For users who may otherwise only read. */
  readonly acknowledgesAlarms: boolean;
  readonly primaryGroup: UserGroup;
  /** The primary one and others. */
  readonly groups: readonly UserGroup[];
  readonly ticketMail: boolean;
  /** The account that the product comes with; it cannot be paused. */
  readonly systemAdministrator: boolean;
  active: boolean;
  /** Milliseconds since the epoch; undefined when never. */
  lastLoginAt: number | undefined;
  /** Undefined where a login by password is impossible: it is not set yet, or Active Directory keeps it. */
  password: string | undefined;
}

/** An API key without its text. */
export interface ApiKey {
  readonly id: string;
  readonly user: User;
  name: string;
  description: string;
  accessLevel: AccessLevel;
  /** Milliseconds since the epoch, as the others. */
  readonly createdAt: number;
  /** Undefined: it does not expire. */
  readonly expiresAt: number | undefined;
  lastUsedAt: number | undefined;
}

export function isAdministrator(user: User): boolean {
  return user.type === "administrator" || user.groups.some((group) => group.administrators);
}

/** Whether one level permits what another one does. */
export function permits(level: AccessLevel, needed: AccessLevel): boolean {
  return ACCESS_LEVELS.indexOf(level) >= ACCESS_LEVELS.indexOf(needed);
}

/** What a user may do at most, in the words of API keys. */
export function levelOf(user: User): AccessLevel {
  if (isAdministrator(user) || user.type === "readwrite") return "FULL";
  return user.acknowledgesAlarms ? "ACKNOWLEDGE" : "READ";
}

/** "Inherits the user's rights": a key permits nothing that its user may not do. */
export function effectiveLevel(key: ApiKey): AccessLevel {
  const own = levelOf(key.user);
  return permits(own, key.accessLevel) ? key.accessLevel : own;
}
