import type { Logger } from "pino";
import { LogOnChange } from "../../lib/log-on-change.ts";
import { CUT_REASONS } from "./connections.ts";

export const REJECTION_REASONS = [
  ...CUT_REASONS,
  "body",
  "client_certificate",
  "malformed",
  "password_checks",
  "rate_limit",
  "requests",
  "tls",
  "unauthorized",
] as const;
export type RejectionReason = (typeof REJECTION_REASONS)[number];

/** Network scanners cause the other reasons all day. */
const WORDS: Partial<Record<RejectionReason, string>> = {
  connections: "a connection was refused: all that --web.max-connections allows are being answered",
  evicted: "an idle connection was closed for a new one: --web.max-connections is reached",
  requests: "a request was refused: --web.max-requests are being answered",
  password_checks: "a request was refused: too many passwords wait to be checked",
  unauthorized: "a request without the right user name and password was refused",
  client_certificate: "a client was refused for its certificate, or for having none",
};

const QUIET_MS = 60_000;

/** Counts all rejections, and logs each kind at most once a minute. */
export class RejectionLog {
  readonly #log: Logger;
  readonly #now: () => number;
  readonly #count: (reason: RejectionReason) => void;
  readonly #logged = new Map<RejectionReason, LogOnChange>();

  constructor(log: Logger, now: () => number, count: (reason: RejectionReason) => void) {
    this.#log = log;
    this.#now = now;
    this.#count = count;
  }

  note(reason: RejectionReason, address: string | undefined, detail?: string): void {
    this.#count(reason);
    const words = WORDS[reason];
    if (words === undefined) return;
    const logged = this.#logged.get(reason) ?? new LogOnChange({ remindEveryMs: QUIET_MS, now: this.#now });
    this.#logged.set(reason, logged);
    const occasion = logged.record();
    if (occasion === undefined) return;
    const alsoRefused = occasion.isNew ? undefined : occasion.sinceLine - 1;
    this.#log.warn(
      { reason, client: address, ...(detail && { detail }), ...(alsoRefused !== undefined && { alsoRefused }) },
      words,
    );
  }
}
