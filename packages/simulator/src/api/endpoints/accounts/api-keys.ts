import { type ApiError, notFound } from "../../../api-errors.ts";
import type { ApiKey, User } from "../../../auth/accounts.ts";
import { forbidden } from "../../../auth/visible-accounts.ts";
import { renderApiKey } from "../../../records/accounts.ts";
import type { RequestBody } from "../../contract/types.ts";
import type { Call, Endpoint } from "../../endpoint.ts";
import { jsonReply, NO_CONTENT, type Reply } from "../../reply.ts";
import { conflict } from "../../request-objects.ts";

/** API keys. Each user manages the own ones, administrators those of all users. */
export const API_KEYS: readonly Endpoint[] = [
  { operation: "listApiKeys", access: "bearer", handle: list },
  { operation: "createApiKey", access: "bearer", handle: create },
  { operation: "findApiKey", access: "bearer", handle: find },
  { operation: "editApiKey", access: "bearer", handle: edit },
  { operation: "deleteApiKey", access: "bearer", handle: remove },
];

function list(call: Call): Reply {
  const keys = call.installation.directory.keys.of(ownerOf(call));
  return jsonReply(`[${keys.map((key) => renderApiKey(key, call)).join(",")}]`);
}

/** The text of the key is in this answer and in no other. */
async function create(call: Call): Promise<Reply> {
  const user = ownerOf(call);
  const { name, description, access_level: accessLevel } = await call.readBody<RequestBody<"createApiKey">>();
  const { key, text } = call.installation.directory.keys.create(user, { name, description, accessLevel }, call.now);
  const { id, accessLevel: access_level } = key;
  return jsonReply(JSON.stringify({ id, key: text, name: key.name, description: key.description, access_level }));
}

/** By its id, by its text, or by both of one key; the contract wants at least one. */
async function find(call: Call): Promise<Reply> {
  const { id, key: text } = await call.readBody<{ id?: string; key?: string }>();
  const { keys } = call.installation.directory;
  const found = id === undefined ? keys.findByText(text ?? "") : keys.find(id);
  if (found === undefined || (text !== undefined && keys.findByText(text) !== found)) throw notFound();
  return jsonReply(renderApiKey(requireManageable(found, call), call));
}

/** "409: referenced object in a PATCH request does not exist", the key itself included. */
async function edit(call: Call): Promise<Reply> {
  const id = call.params.id ?? "";
  const key = keyOf(call, () => conflict(`There is no API key ${id}`));
  const { access_level: accessLevel, ...changes } = await call.readBody<RequestBody<"editApiKey">>();
  const { name = key.name, description = key.description } = changes;
  call.installation.directory.keys.edit(key, { name, description, accessLevel: accessLevel ?? key.accessLevel });
  return NO_CONTENT;
}

function remove(call: Call): Reply {
  call.installation.directory.keys.delete(keyOf(call, notFound));
  return NO_CONTENT;
}

/** Who may not manage others learns nothing of who there is. @throws RequestRefused FORBIDDEN, NOT_FOUND */
function ownerOf({ params, principal, installation }: Call): User {
  const { administrator, user } = principal.account;
  if (params.id === "me" || params.id === user.id) return user;
  if (!administrator) throw forbidden();
  const owner = installation.directory.user(params.id ?? "");
  if (owner === undefined) throw notFound();
  return owner;
}

function keyOf(call: Call, missing: () => ApiError): ApiKey {
  const key = call.installation.directory.keys.find(call.params.id ?? "");
  if (key === undefined) throw missing();
  return requireManageable(key, call);
}

/** @throws RequestRefused FORBIDDEN */
function requireManageable(key: ApiKey, { principal }: Call): ApiKey {
  const { administrator, user } = principal.account;
  if (!administrator && key.user !== user) throw forbidden();
  return key;
}
