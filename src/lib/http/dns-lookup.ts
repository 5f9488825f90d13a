import { type LookupAddress, lookup as systemLookup } from "node:dns";
import type { LookupFunction } from "node:net";
import type { Clock } from "../clock.ts";

let pending = 0;

/** Whether a thread waits for a name server. Node.js would wait for it at exit. */
export function hasPendingLookups(): boolean {
  return pending > 0;
}

type Callback = Parameters<LookupFunction>[2];

/**
 * Allows one lookup of a name at a time. A lookup holds one of few threads and cannot be cancelled, so a dead name
 * would block all others.
 */
export function createSharedLookup(lookup: LookupFunction = systemLookup): LookupFunction {
  const underWay = new Map<string, Callback[]>();
  return (hostname, options, callback) => {
    const key = JSON.stringify([hostname, options.family, options.hints, options.all, options.order, options.verbatim]);
    const queue = underWay.get(key);
    if (queue !== undefined) {
      queue.push(callback);
      return;
    }
    const callbacks = [callback];
    underWay.set(key, callbacks);
    pending++;
    lookup(hostname, options, (...answer) => {
      pending--;
      underWay.delete(key);
      for (const each of callbacks) each(...answer);
    });
  };
}

/** Shared by all connections of this process. */
const sharedLookup = createSharedLookup();

/** A resolver without an answer takes longer than the timeout of a connection. */
const MAX_WAIT_MS = 3_000;
/** After this time an address may belong to another machine. */
const MAX_STALE_MS = 60 * 60_000;

export interface StaleLookupOptions {
  readonly clock: Clock;
  readonly resolve?: LookupFunction | undefined;
  /** Called once when the last known addresses are used, until the name resolves again. */
  readonly onStale?: ((error: Error) => void) | undefined;
}

/**
 * Resolves one host. If the lookup fails or takes three seconds, it returns the last addresses for up to an hour (RFC
 * 8767, "serve stale").
 */
export function createStaleLookup({ clock, resolve = sharedLookup, onStale }: StaleLookupOptions): LookupFunction {
  let known: readonly LookupAddress[] = [];
  let resolvedAt = 0;
  let isStale = false;
  const isUsable = (): boolean => known.length > 0 && clock.monotonic() - resolvedAt <= MAX_STALE_MS;
  const markStale = (error: Error): void => {
    if (!isStale) onStale?.(error);
    isStale = true;
  };
  return (hostname, options, callback) => {
    let isAnswered = false;
    let cancel: (() => void) | undefined;
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
        resolvedAt = clock.monotonic();
        isStale = false;
      }
      // The caller already has the known addresses.
      if (isAnswered) return;
      isAnswered = true;
      cancel?.();
      if (failure === undefined) return give(addresses);
      if (!isUsable()) return callback(failure, []);
      markStale(failure);
      give(known);
    });
    if (isAnswered || !isUsable()) return;
    cancel = clock.after(MAX_WAIT_MS, () => {
      isAnswered = true;
      markStale(new Error(`${hostname}: no answer from the resolver within ${MAX_WAIT_MS / 1_000} s`));
      give(known);
    });
  };
}

/** Node.js throws a TypeError if an answer has no addresses. */
function notFound(hostname: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${hostname} has no address`), { code: "ENOTFOUND" });
}
