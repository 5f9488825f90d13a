import { ApiError, notFound } from "../api/api-errors.ts";
import type { Call } from "../api/endpoint.ts";
import type { User, UserGroup } from "./accounts.ts";

/**
 * Who sees which accounts; the specification only says that there are some "not visible to the user". Ours: an
 * administrator sees all of them, anybody else himself and the groups that he is in.
 */
export function visibleUsers({ principal, installation }: Call): readonly User[] {
  const { users } = installation.directory;
  const { administrator, user } = principal.account;
  return administrator ? users : [user];
}

export function visibleGroups({ principal, installation }: Call): readonly UserGroup[] {
  const { groups } = installation.directory;
  const { administrator, user } = principal.account;
  return administrator ? groups : groups.filter((group) => user.groups.includes(group));
}

/** @throws RequestRefused NOT_FOUND */
export function visibleUser(call: Call): User {
  const user = visibleUsers(call).find(({ id }) => id === call.params.id);
  if (user === undefined) throw notFound();
  return user;
}

/** @throws RequestRefused NOT_FOUND */
export function visibleGroup(call: Call): UserGroup {
  const group = visibleGroups(call).find(({ id }) => id === call.params.id);
  if (group === undefined) throw notFound();
  return group;
}

/** @throws RequestRefused FORBIDDEN */
export function requireAdministrator({ principal }: Call): void {
  if (!principal.account.administrator) throw forbidden();
}

export function forbidden(): ApiError {
  return new ApiError("FORBIDDEN", "Action not allowed with the user's privileges");
}
