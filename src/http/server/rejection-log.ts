import type { Logger } from "pino";
import { LogOnChange } from "../../lib/log-on-change.ts";
import { mapEntry } from "../../lib/map-entry.ts";
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
  connections: "refused a connection: --web.max-connections is reached and no connection is idle",
  evicted: "closed an idle connection for a new one: --web.max-connections is reached",
  requests: "refused a request: --web.max-requests is reached",
  password_checks: "refused a request: too many password checks are waiting",
  unauthorized: "refused a request: user name or password is missing or wrong",
  client_certificate: "refused a client: its certificate is missing or not accepted",
};

const QUIET_MS = 60_000;

export type NoteRejection = (reason: RejectionReason, address: string | undefined, detail?: string) => void;

/** Counts all rejections, and logs each kind at most once a minute. */
export function createRejectionLog(
  log: Logger,
  now: () => number,
  count: (reason: RejectionReason) => void,
): NoteRejection {
  const logged = new Map<RejectionReason, LogOnChange>();
  return (reason, address, detail) => {
    count(reason);
    const words = WORDS[reason];
    if (words === undefined) return;
    const kind = mapEntry(logged, reason, () => new LogOnChange({ remindEveryMs: QUIET_MS, now }));
    const occasion = kind.record();
    if (occasion === undefined) return;
    const alsoRefused = occasion.isNew ? undefined : occasion.sinceLine - 1;
    log.warn(
      { reason, client: address, ...(detail && { detail }), ...(alsoRefused !== undefined && { alsoRefused }) },
      words,
    );
  };
}
