import type { Socket } from "node:net";

export interface ConnectionLimits {
  /** Beyond it, the connection that has waited longest for a request is closed. */
  readonly maxOpen: number;
  /** Time from the connection to the end of its first head, TLS handshake included. Milliseconds. */
  readonly requestMs: number;
  /** Time from a response to the end of the next head. Milliseconds. */
  readonly idleMs: number;
  /** Time from a request to the last byte of its response. Milliseconds. */
  readonly answerMs: number;
}

export const CUT_REASONS = ["connections", "evicted", "slow_request", "slow_reader"] as const;
export type CutReason = (typeof CUT_REASONS)[number];

interface Connection {
  readonly socket: Socket;
  busy: number;
  isFresh: boolean;
  /** Start of the phase, monotonic milliseconds. */
  since: number;
}

/** Identifies a connection, also through TLS. */
export interface Peer {
  readonly remoteAddress?: string | undefined;
  readonly remotePort?: number | undefined;
  readonly localPort?: number | undefined;
}

/** Applies timeouts to all open connections. Node applies them only to servers that listen themselves, and not to HTTP/2. */
export class Connections {
  /** Idle connections are in the order of their wait. */
  readonly #open = new Map<string, Connection>();
  readonly #limits: ConnectionLimits;
  readonly #now: () => number;
  readonly #cut: (reason: CutReason, socket: Socket) => void;
  #emptied: (() => void) | undefined;

  constructor(limits: ConnectionLimits, now: () => number, cut: (reason: CutReason, socket: Socket) => void) {
    this.#limits = limits;
    this.#now = now;
    this.#cut = cut;
  }

  get size(): number {
    return this.#open.size;
  }

  /** Returns false and cuts the connection if all others are busy. */
  admit(socket: Socket): boolean {
    if (this.#open.size >= this.#limits.maxOpen && !this.#evict()) {
      this.#end("connections", socket);
      return false;
    }
    const key = keyOf(socket);
    if (key === undefined) {
      socket.destroy();
      return false;
    }
    this.#open.set(key, { socket, busy: 0, isFresh: true, since: this.#now() });
    socket.once("close", () => {
      if (this.#open.get(key)?.socket === socket) this.#open.delete(key);
      if (this.#open.size === 0) this.#emptied?.();
    });
    return true;
  }

  /** Resolves when no connection is open. */
  empty(): Promise<void> {
    if (this.#open.size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#emptied = resolve;
    });
  }

  /** The head is complete. A body may follow. */
  requestBegins(peer: Peer): void {
    const connection = this.#find(peer);
    if (connection === undefined || connection.busy > 0) return;
    connection.isFresh = true;
    connection.since = this.#now();
  }

  /** The request is complete. Returns the function to call after the response. */
  answerBegins(peer: Peer): () => void {
    const key = keyOf(peer);
    const connection = key === undefined ? undefined : this.#open.get(key);
    if (key === undefined || connection === undefined) return () => undefined;
    if (connection.busy++ === 0) connection.since = this.#now();
    return () => {
      if (--connection.busy > 0 || this.#open.get(key) !== connection) return;
      connection.isFresh = false;
      connection.since = this.#now();
      this.#open.delete(key);
      this.#open.set(key, connection);
    };
  }

  isAnswering(peer: Peer): boolean {
    return (this.#find(peer)?.busy ?? 0) > 0;
  }

  sweep(): void {
    const now = this.#now();
    const { requestMs, idleMs, answerMs } = this.#limits;
    for (const { socket, busy, isFresh, since } of this.#open.values()) {
      const spent = now - since;
      if (busy > 0) {
        if (spent > answerMs) this.#end("slow_reader", socket);
      } else if (spent > (isFresh ? requestMs : idleMs)) {
        if (isFresh) this.#end("slow_request", socket);
        else socket.destroy();
      }
    }
  }

  cutAll(): void {
    for (const { socket } of this.#open.values()) socket.destroy();
  }

  #find(peer: Peer): Connection | undefined {
    const key = keyOf(peer);
    return key === undefined ? undefined : this.#open.get(key);
  }

  #evict(): boolean {
    for (const [key, { socket, busy }] of this.#open) {
      if (busy > 0) continue;
      this.#open.delete(key);
      this.#end("evicted", socket);
      return true;
    }
    return false;
  }

  #end(reason: CutReason, socket: Socket): void {
    this.#cut(reason, socket);
    socket.destroy();
  }
}

function keyOf({ remoteAddress, remotePort, localPort }: Peer): string | undefined {
  return remotePort === undefined ? undefined : `${remoteAddress} ${remotePort} ${localPort}`;
}
