import type { User } from "./accounts.ts";

/** What the user would find in a mail. */
export interface PasswordReset {
  readonly username: string;
  readonly email: string;
  readonly token: string;
  /** Milliseconds since the epoch. */
  readonly requestedAt: number;
  readonly expiresAt: number;
}

interface Pending extends PasswordReset {
  readonly user: User;
}

export interface PasswordResetOptions {
  /** Simulated time, milliseconds since the epoch. */
  readonly now: () => number;
  readonly newToken: () => string;
  readonly lifetimeMs: number;
}

/** Tokens with which a user may set a new password: one for each user at a time, good once. */
export class PasswordResets {
  readonly #options: PasswordResetOptions;
  readonly #pending = new Map<User, Pending>();

  constructor(options: PasswordResetOptions) {
    this.#options = options;
  }

  /** Replaces the token that the user may have. */
  request(user: User): void {
    const { now, newToken, lifetimeMs } = this.#options;
    const requestedAt = now();
    this.#pending.delete(user);
    this.#pending.set(user, {
      user,
      username: user.loginName,
      email: user.email,
      token: newToken(),
      requestedAt,
      expiresAt: requestedAt + lifetimeMs,
    });
  }

  /** Whether the token is the user's and still good. */
  isValid(user: User, token: string): boolean {
    const pending = this.#pending.get(user);
    return pending !== undefined && pending.token === token && pending.expiresAt > this.#options.now();
  }

  /** The user's token is good no more. */
  redeem(user: User): void {
    this.#pending.delete(user);
  }

  /** The tokens that are still good, oldest first. */
  pending(): readonly PasswordReset[] {
    const now = this.#options.now();
    return [...this.#pending.values()].filter(({ expiresAt }) => expiresAt > now).map(({ user: _, ...reset }) => reset);
  }
}

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
