import { ApiError } from "../../../api-errors.ts";
import { passwordProblem } from "../../../auth/passwords.ts";
import type { RequestBody } from "../../contract/types.ts";
import type { Endpoint, PublicCall } from "../../endpoint.ts";
import { NO_CONTENT, type Reply } from "../../reply.ts";

/** The reset of a forgotten password. */
export const PASSWORDS: readonly Endpoint[] = [
  { operation: "requestPasswordReset", access: "public", handle: request },
  { operation: "resetPassword", access: "public", handle: reset },
];

/** The answer is the same whether or not there is such a user, and whether he may have a token. */
async function request(call: PublicCall): Promise<Reply> {
  const { username } = await call.readBody<RequestBody<"requestPasswordReset">>();
  const { directory, passwordResets } = call.installation;
  const user = directory.userByLogin(username);
  const elsewhere = user?.groups.some((group) => group.activeDirectory) === true;
  if (user?.active === true && !elsewhere) passwordResets.request(user);
  return NO_CONTENT;
}

/** A password that is refused leaves the token good for another try. */
async function reset(call: PublicCall): Promise<Reply> {
  const { username, password, token } = await call.readBody<RequestBody<"resetPassword">>();
  const { directory, passwordResets } = call.installation;
  const user = directory.userByLogin(username);
  if (user === undefined || !user.active || !passwordResets.isValid(user, token)) {
    throw new ApiError("INVALID_PASSWORD_RESET_TOKEN", "Password reset token invalid");
  }
  const complaint = passwordProblem(password, user);
  if (complaint !== undefined) {
    throw new ApiError("LOW_PASSWORD_COMPLEXITY", `Password does not meet complexity requirements: ${complaint}`);
  }
  passwordResets.redeem(user);
  user.password = password;
  call.auth.logoutEverywhere(user);
  return NO_CONTENT;
}
