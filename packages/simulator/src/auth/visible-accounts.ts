import { ApiError, notFound } from "../api-errors.ts";
import type { User, UserGroup } from "./accounts.ts";
import type { Principal } from "./authentication.ts";
import type { Directory } from "./directory.ts";

/** What of a request says which accounts can be seen. */
export interface AccountRequest {
  readonly principal: Principal;
  readonly installation: { readonly directory: Directory };
  /** Values of the placeholders of the path. */
  readonly params: Readonly<Record<string, string | undefined>>;
}

/** Our reading: an administrator sees all accounts, any other user the own one and the own groups. */
export function visibleUsers({ principal, installation }: AccountRequest): readonly User[] {
  const { users } = installation.directory;
  const { administrator, user } = principal.account;
  return administrator ? users : [user];
}

export function visibleGroups({ principal, installation }: AccountRequest): readonly UserGroup[] {
  const { groups } = installation.directory;
  const { administrator, user } = principal.account;
  return administrator ? groups : groups.filter((group) => user.groups.includes(group));
}

/** @throws RequestRefused NOT_FOUND */
export function visibleUser(call: AccountRequest): User {
  const user = visibleUsers(call).find(({ id }) => id === call.params.id);
  if (user === undefined) throw notFound();
  return user;
}

/** @throws RequestRefused NOT_FOUND */
export function visibleGroup(call: AccountRequest): UserGroup {
  const group = visibleGroups(call).find(({ id }) => id === call.params.id);
  if (group === undefined) throw notFound();
  return group;
}

/** @throws RequestRefused FORBIDDEN */
export function requireAdministrator({ principal }: AccountRequest): void {
  if (!principal.account.administrator) throw forbidden();
}

export function forbidden(): ApiError {
  return new ApiError("FORBIDDEN", "Action not allowed with the user's privileges");
}
