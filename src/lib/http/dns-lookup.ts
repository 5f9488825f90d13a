import { type LookupAddress, lookup as systemLookup } from "node:dns";
import type { LookupFunction } from "node:net";
import type { Clock } from "../clock.ts";

/** Lookups that have begun and have no answer yet. */
let pending = 0;

/** Whether a thread waits for a name server: Node.js would wait for it, and for those behind it, before it ends. */
export function hasPendingLookups(): boolean {
  return pending > 0;
}

type Callback = Parameters<LookupFunction>[2];

/**
 * As `dns.lookup`, but a name is asked for once at a time. The system's function holds one of few threads until it is answered,
 * and cannot be stopped: a name that does not resolve would else be waiting there once more with each attempt to connect, and
 * names that do resolve behind all of them.
 */
export function createSharedLookup(lookup: LookupFunction = systemLookup): LookupFunction {
  const underWay = new Map<string, Callback[]>();
  return (hostname, options, callback) => {
    const key = JSON.stringify([hostname, options.family, options.hints, options.all, options.order, options.verbatim]);
    const waiting = underWay.get(key);
    if (waiting !== undefined) {
      waiting.push(callback);
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

/** For all connections of this process. */
const sharedLookup = createSharedLookup();

/** A resolver that does not answer takes longer than a connection may take to come about. */
const MAX_WAIT_MS = 3_000;
/** After that an address may have become another machine's. */
const MAX_STALE_MS = 60 * 60_000;

export interface StaleLookupOptions {
  readonly clock: Clock;
  /** How the name is resolved; by the system by default. */
  readonly resolve?: LookupFunction | undefined;
  /** The name did not resolve, and the last known addresses are used; called once until it resolves again. */
  readonly onStale?: ((error: Error) => void) | undefined;
}

/**
 * Resolves one host name, as `net.connect` asks for it. While the name does not resolve, or nothing answers within three
 * seconds, the last known addresses are given, for an hour (as RFC 8767, "serve stale"): a name server that fails is no
 * server that fails.
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
        resolvedAt = clock.monotonic();
        isStale = false;
      }
      // The wait is over, and the known addresses were given.
      if (answered.signal.aborted) return;
      answered.abort();
      if (failure === undefined) return give(addresses);
      if (!isUsable()) return callback(failure, []);
      markStale(failure);
      give(known);
    });
    if (!isUsable()) return;
    clock.sleep(MAX_WAIT_MS, answered.signal).then(
      () => {
        answered.abort();
        markStale(new Error(`${hostname}: no answer from the resolver within ${MAX_WAIT_MS / 1_000} s`));
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
