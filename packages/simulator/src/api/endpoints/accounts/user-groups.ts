import type { UserGroup } from "../../../auth/accounts.ts";
import { visibleGroup, visibleGroups } from "../../../auth/visible-accounts.ts";
import { propertyTable } from "../../../filter/vocabulary.ts";
import { GROUP_SECTIONS, renderGroup, renderGroupInfo } from "../../../records/accounts.ts";
import { parseInclude } from "../../../records/include.ts";
import type { Call, Endpoint } from "../../endpoint.ts";
import { type RecordContext, recordScope, selectRecords } from "../../lists.ts";
import { jsonReply, type Reply } from "../../reply.ts";

/** User groups, in both forms. */
export const USER_GROUPS: readonly Endpoint[] = [
  {
    operation: "listUserGroupInfo",
    access: "bearer",
    handle: (call) => listGroups(call, true, (group) => renderGroupInfo(group, call)),
  },
  {
    operation: "getUserGroupInfo",
    access: "bearer",
    handle: (call) => jsonReply(renderGroupInfo(visibleGroup(call), call)),
  },
  { operation: "listUserGroups", access: "bearer", handle: listGroupNodes },
  { operation: "getUserGroup", access: "bearer", handle: getGroupNode },
];

const GROUP_PROPERTIES = propertyTable<UserGroup, RecordContext>({
  id: (group) => group.id,
  name: (group) => group.name,
  kind: () => "usergroup",
  type: () => "usergroup",
  activedirectory: (group) => group.activeDirectory,
  admingroup: (group) => group.administrators,
});

function listGroups(call: Call, sortable: boolean, render: (group: UserGroup) => string): Reply {
  return selectRecords(call, [visibleGroups(call)], { scope: recordScope(call, GROUP_PROPERTIES), sortable }, render);
}

function listGroupNodes(call: Call): Reply {
  const include = parseInclude(call.query.get("include"), GROUP_SECTIONS);
  return listGroups(call, false, (group) => renderGroup(group, include, call));
}

function getGroupNode(call: Call): Reply {
  const include = parseInclude(call.query.get("include"), GROUP_SECTIONS);
  return jsonReply(renderGroup(visibleGroup(call), include, call));
}
