import type { User } from "./model.ts";

const MIN_CHARACTERS = 8;
/** A body holds no more anyway; a limit keeps it from being stored. */
const MAX_CHARACTERS = 1000;

/** What "complexity requirements" are is not stated; these are ours. Returns what is missing, undefined when nothing is. */
export function passwordProblem(password: string, user: User): string | undefined {
  const { length } = [...password];
  if (length < MIN_CHARACTERS) return `it needs at least ${MIN_CHARACTERS} characters`;
  if (length > MAX_CHARACTERS) return `it may have at most ${MAX_CHARACTERS} characters`;
  if (!/\p{Lu}/u.test(password)) return "it needs a capital letter";
  if (!/\p{Ll}/u.test(password)) return "it needs a small letter";
  if (!/\p{Nd}/u.test(password)) return "it needs a digit";
  if (password.toLowerCase().includes(user.loginName.toLowerCase())) return "it must not contain the login name";
  return undefined;
}
