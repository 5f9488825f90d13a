import { ApiError } from "../../../api-errors.ts";
import { isAdministrator, type User } from "../../../auth/accounts.ts";
import { requireAdministrator, visibleUser, visibleUsers } from "../../../auth/visible-accounts.ts";
import { compileFilter } from "../../../filter/compile.ts";
import { propertyTable } from "../../../filter/vocabulary.ts";
import { renderUser, renderUserInfo, USER_SECTIONS, userReference } from "../../../records/accounts.ts";
import { parseInclude } from "../../../records/include.ts";
import type { RequestBody } from "../../contract/types.ts";
import type { Call, Endpoint } from "../../endpoint.ts";
import { type RecordContext, recordScope, selectRecords } from "../../lists.ts";
import { jsonReply, NO_CONTENT, type Reply } from "../../reply.ts";

/** User accounts: both forms of reading them, and pausing them. */
export const USERS: readonly Endpoint[] = [
  {
    operation: "listUserInfo",
    access: "bearer",
    handle: (call) => listUsers(call, true, (user) => renderUserInfo(user, call)),
  },
  { operation: "getUserInfo", access: "bearer", handle: (call) => jsonReply(renderUserInfo(visibleUser(call), call)) },
  { operation: "listUsers", access: "bearer", handle: listUserNodes },
  { operation: "getUser", access: "bearer", handle: getUserNode },
  { operation: "pauseUser", access: "bearer", handle: (call) => actOnOne(call, pause) },
  { operation: "resumeUser", access: "bearer", handle: (call) => actOnOne(call, resume) },
  { operation: "pauseUsers", access: "bearer", handle: (call) => actOnMany(call, pause) },
  { operation: "resumeUsers", access: "bearer", handle: (call) => actOnMany(call, resume) },
];

/** `primarygroup` compares with the id of the group, as `parentid` does. */
const USER_PROPERTIES = propertyTable<User, RecordContext>({
  id: (user) => user.id,
  name: (user) => user.name,
  kind: () => "user",
  type: () => "user",
  status: (user) => (user.active ? "up" : "pausedbyuser"),
  active: (user) => user.active,
  admingroup: isAdministrator,
  activedirectory: (user) => user.primaryGroup.activeDirectory,
  email: (user) => user.email,
  loginname: (user) => user.loginName,
  parentid: (user) => user.primaryGroup.id,
  primarygroup: (user) => user.primaryGroup.id,
  ticketmail: (user) => user.ticketMail,
  usertype: (user) => user.type,
});

function listUsers(call: Call, sortable: boolean, render: (user: User) => string): Reply {
  return selectRecords(call, [visibleUsers(call)], { scope: recordScope(call, USER_PROPERTIES), sortable }, render);
}

function listUserNodes(call: Call): Reply {
  const include = parseInclude(call.query.get("include"), USER_SECTIONS);
  return listUsers(call, false, (user) => renderUser(user, include, call));
}

function getUserNode(call: Call): Reply {
  const include = parseInclude(call.query.get("include"), USER_SECTIONS);
  return jsonReply(renderUser(visibleUser(call), include, call));
}

type Action = (user: User, call: Call) => void;

/** The user cannot log in any more, and his sessions and keys are refused. */
function pause(user: User, { auth }: Call): void {
  if (user.systemAdministrator) {
    throw new ApiError("PAUSE_ADMIN", "The system administrator account cannot be paused");
  }
  if (!user.active) throw new ApiError("WRONG_NODE_STATUS", "The user account is paused already");
  user.active = false;
  auth.logoutEverywhere(user);
}

/** His keys work again; sessions stay ended. */
function resume(user: User): void {
  if (user.active) throw new ApiError("WRONG_NODE_STATUS", "The user account is not paused");
  user.active = true;
}

function actOnOne(call: Call, action: Action): Reply {
  requireAdministrator(call);
  action(visibleUser(call), call);
  return NO_CONTENT;
}

async function actOnMany(call: Call, action: Action): Promise<Reply> {
  requireAdministrator(call);
  const { filter } = await call.readBody<RequestBody<"pauseUsers" | "resumeUsers">>();
  const chosen = visibleUsers(call).filter(compileFilter(filter, recordScope(call, USER_PROPERTIES)));
  const results = chosen.map((user) => ({ node: userReference(user, call), failure: attempt(action, user, call) }));
  return jsonReply(JSON.stringify(results));
}

/** The error object of an action that is refused; null where it is not. */
function attempt(action: Action, user: User, call: Call): object | null {
  try {
    action(user, call);
    return null;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { code: error.code, message: error.message, request_id: call.requestId };
  }
}
