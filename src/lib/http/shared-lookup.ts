import { lookup as systemLookup } from "node:dns";
import type { LookupFunction } from "node:net";

/** Lookups that have begun and have no answer yet. */
let lookups = 0;

/** Whether a thread waits for a name server: Node.js would wait for it, and for those behind it, before it ends. */
export function namesWait(): boolean {
  return lookups > 0;
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
    lookups++;
    lookup(hostname, options, (...answer) => {
      lookups--;
      underWay.delete(key);
      for (const each of callbacks) each(...answer);
    });
  };
}

/** For all connections of this process. */
export const sharedLookup = createSharedLookup();
