import { type ApiKey, isAdministrator, type User, type UserGroup } from "../auth/accounts.ts";
import { type AccountRequest, visibleGroups, visibleUsers } from "../auth/visible-accounts.ts";
import type { Include } from "./include.ts";
import type { Rendering } from "./rendering.ts";
import { section, timestampOrNull, typeWord } from "./values.ts";

/** A request that is answered with records of accounts. */
interface AccountCall extends AccountRequest {
  readonly rendering: Rendering;
}

/** A reference object. */
export interface Reference {
  readonly id: string;
  readonly type: string;
  readonly name: string;
  readonly href: string;
}

export function userReference(user: User, call: AccountCall): Reference {
  const href = visibleUsers(call).includes(user) ? `/api/v2/users/${user.id}` : "restricted";
  return { id: user.id, type: "REFERENCED_USER", name: user.name, href };
}

function groupReference(group: UserGroup, call: AccountCall): Reference {
  const href = visibleGroups(call).includes(group) ? `/api/v2/usergroups/${group.id}` : "restricted";
  return { id: group.id, type: "REFERENCED_USERGROUP", name: group.name, href };
}

/** Fields are not shown: after what the product's own pages show of an account, in the style of the other info records. */
export function renderUserInfo(user: User, call: AccountCall): string {
  return JSON.stringify({
    id: user.id,
    name: user.name,
    href: `/api/v2/users/${user.id}`,
    active: user.active,
    login_name: user.loginName,
    email: user.email,
    user_type: user.type,
    administrator: isAdministrator(user),
    acknowledge_alarms: user.acknowledgesAlarms,
    ticket_mail: user.ticketMail,
    primary_group: groupReference(user.primaryGroup, call),
    groups: user.groups.map((group) => groupReference(group, call)),
    last_login: timestampOrNull(call.rendering, user.lastLoginAt),
  });
}

export function renderGroupInfo(group: UserGroup, call: AccountCall): string {
  return JSON.stringify({
    id: group.id,
    name: group.name,
    href: `/api/v2/usergroups/${group.id}`,
    administrators: group.administrators,
    active_directory: group.activeDirectory,
    members: membersOf(group, call).map((user) => userReference(user, call)),
  });
}

/** What the experimental records of accounts can include; `basic` is always there. */
export const USER_SECTIONS = { sections: ["basic", "useraccount", "usergroups"], summary: false } as const;
export const GROUP_SECTIONS = { sections: ["basic", "usergroup", "members"], summary: false } as const;

type AccountInclude = Pick<Include<string>, "sections" | "inheritance">;

/** Accounts inherit nothing: the source of all settings is the account itself. */
interface OwnSections extends AccountInclude {
  readonly source: Reference;
}

/** In the form of a tree node, as everything else below `/experimental`; the sections are ours. */
export function renderUser(user: User, include: AccountInclude, call: AccountCall): string {
  const { rendering } = call;
  const own = { ...include, source: userReference(user, call) };
  const sections = {
    useraccount: {
      loginname: user.loginName,
      email: user.email,
      usertype: user.type,
      acknowledgealarms: user.acknowledgesAlarms,
      ticketmail: user.ticketMail,
    },
    usergroups: { primarygroup: user.primaryGroup.id, groups: user.groups.map(({ id }) => id) },
  };
  return JSON.stringify({
    id: user.id,
    name: user.name,
    href: `/api/v2/experimental/users/${user.id}`,
    type: typeWord(rendering, "user"),
    kind: "user",
    basic: sectionOf({ name: user.name, active: user.active }, own, call),
    parent: groupReference(user.primaryGroup, call),
    last_login: timestampOrNull(rendering, user.lastLoginAt),
    ...included(sections, own, call),
  });
}

export function renderGroup(group: UserGroup, include: AccountInclude, call: AccountCall): string {
  const own = { ...include, source: groupReference(group, call) };
  const sections = {
    usergroup: { admingroup: group.administrators, activedirectory: group.activeDirectory },
    members: { users: membersOf(group, call).map(({ id }) => id) },
  };
  return JSON.stringify({
    id: group.id,
    name: group.name,
    href: `/api/v2/experimental/usergroups/${group.id}`,
    type: typeWord(call.rendering, "usergroup"),
    kind: "usergroup",
    basic: sectionOf({ name: group.name }, own, call),
    ...included(sections, own, call),
  });
}

/** Never with the text of the key. */
export function renderApiKey(key: ApiKey, call: AccountCall): string {
  return JSON.stringify({
    id: key.id,
    name: key.name,
    description: key.description,
    access_level: key.accessLevel,
    user: userReference(key.user, call),
    created_at: timestampOrNull(call.rendering, key.createdAt),
    last_used_at: timestampOrNull(call.rendering, key.lastUsedAt),
    expires_at: timestampOrNull(call.rendering, key.expiresAt),
  });
}

/** Those that the user sees. */
function membersOf(group: UserGroup, call: AccountCall): readonly User[] {
  const visible = visibleUsers(call);
  return call.installation.directory.membersOf(group).filter((user) => visible.includes(user));
}

type SectionValues = Parameters<typeof section>[1];

function included(
  sections: Readonly<Record<string, SectionValues>>,
  own: OwnSections,
  call: AccountCall,
): Record<string, unknown> {
  const chosen = Object.entries(sections).filter(([name]) => own.sections.has(name));
  return Object.fromEntries(chosen.map(([name, values]) => [name, sectionOf(values, own, call)]));
}

function sectionOf(values: SectionValues, own: OwnSections, call: AccountCall): Record<string, unknown> {
  const { inheritance, source } = own;
  const inherited = inheritance ? { _inheritancesource: source, _inherited: false, _shadowed: null } : {};
  return { ...section(call.rendering, values), ...inherited };
}
