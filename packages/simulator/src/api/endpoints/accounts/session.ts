import { ApiError } from "../../../api-errors.ts";
import type { Session } from "../../../auth/authentication.ts";
import type { RequestBody } from "../../contract/types.ts";
import type { Call, Endpoint, PublicCall } from "../../endpoint.ts";
import { jsonReply, NO_CONTENT, type Reply } from "../../reply.ts";

export const SESSION: readonly Endpoint[] = [
  { operation: "openSession", access: "public", handle: login },
  { operation: "renewSession", access: "bearer", handle: renew },
  { operation: "closeSession", access: "bearer", handle: logout },
];

async function login(call: PublicCall): Promise<Reply> {
  const { username, password } = await call.readBody<RequestBody<"openSession">>();
  const session = call.auth.login(username, password);
  return jsonReply(JSON.stringify({ token: session.token, ...expiry(session, call) }));
}

/** Our reading: the token stays the same. Only an API key can fail here, as it has no session. */
function renew(call: Call): Reply {
  const { session } = call.principal;
  if (session === undefined) throw new ApiError("RENEW_FAILED", "Session renewal failed: an API key has no session");
  call.auth.renew(session);
  const live = call.rendering.spelling.name === "live";
  return jsonReply(JSON.stringify(live ? expiry(session, call) : { token: session.token }));
}

/** "A 400 response is documented for sessions that were opened with an API key." */
function logout(call: Call): Reply {
  const { session } = call.principal;
  if (session === undefined) throw new ApiError("LOGOUT_FAILED", "Logout failed: an API key has no session");
  call.auth.logout(session);
  return NO_CONTENT;
}

/** The specification names the field `token` alone; live servers also tell when it ends. */
function expiry(session: Session, { auth, now, rendering }: PublicCall): { expires_at?: string } {
  if (rendering.spelling.name !== "live") return {};
  return { expires_at: new Date(now + auth.remaining(session)).toISOString() };
}
