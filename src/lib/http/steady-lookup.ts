import type { LookupAddress } from "node:dns";
import type { LookupFunction } from "node:net";
import type { Clock } from "../clock.ts";
import { sharedLookup } from "./shared-lookup.ts";

/** A resolver that does not answer takes longer than a connection may take to come about. */
const MAX_WAIT_MS = 3_000;
/** After that an address may have become another machine's. */
const MAX_AGE_MS = 60 * 60_000;

export interface SteadyLookup {
  readonly clock: Clock;
  /** `sharedLookup` by default. */
  readonly resolve?: LookupFunction | undefined;
  /** The name did not resolve, and the last known addresses are used; told once until it resolves again. */
  readonly inDoubt?: ((error: Error) => void) | undefined;
}

/**
 * Resolves one host name, as `net.connect` asks for it. While the name does not resolve, or nothing answers within three
 * seconds, the last known addresses are given, for an hour: a name server that fails is no server that fails.
 */
export function steadyLookup({ clock, resolve = sharedLookup, inDoubt }: SteadyLookup): LookupFunction {
  let known: readonly LookupAddress[] = [];
  let learntAt = 0;
  let isInDoubt = false;
  const isUsable = (): boolean => known.length > 0 && clock.monotonic() - learntAt <= MAX_AGE_MS;
  const doubt = (error: Error): void => {
    if (!isInDoubt) inDoubt?.(error);
    isInDoubt = true;
  };
  return (hostname, options, callback) => {
    const answered = new AbortController();
    const give = (addresses: readonly LookupAddress[]): void => {
      const [first] = addresses;
      if (options.all === true || first === undefined) callback(null, [...addresses]);
      else callback(null, first.address, first.family);
    };
    resolve(hostname, { ...options, all: true }, (error, found) => {
      const addresses = typeof found === "string" ? [] : (found ?? []);
      const failure = error ?? (addresses.length === 0 ? notFound(hostname) : undefined);
      if (failure === undefined) {
        known = addresses;
        learntAt = clock.monotonic();
        isInDoubt = false;
      }
      // The wait is over, and the known addresses were given.
      if (answered.signal.aborted) return;
      answered.abort();
      if (failure === undefined) return give(addresses);
      if (!isUsable()) return callback(failure, []);
      doubt(failure);
      give(known);
    });
    if (!isUsable()) return;
    clock.sleep(MAX_WAIT_MS, answered.signal).then(
      () => {
        answered.abort();
        doubt(new Error(`${hostname}: no answer from the resolver within ${MAX_WAIT_MS / 1_000} s`));
        give(known);
      },
      () => undefined,
    );
  };
}

/** Node.js fails with a TypeError over an answer without addresses. */
function notFound(hostname: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${hostname} has no address`), { code: "ENOTFOUND" });
}
