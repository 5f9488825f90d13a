import type { Socket } from "node:net";

export interface ConnectionLimits {
  /** Open connections at one time; then the one that has waited longest for a request makes room for a new one. */
  readonly maxOpen: number;
  /** From the beginning of a connection to the end of its first request's head, handshake included; milliseconds. */
  readonly requestMs: number;
  /** From an answer to the end of the next request's head, milliseconds. */
  readonly idleMs: number;
  /** From a request to the last byte of its answer, milliseconds. */
  readonly answerMs: number;
}

/** Why a connection was cut. */
export const CUT_REASONS = ["connections", "evicted", "slow_request", "slow_reader"] as const;
export type CutReason = (typeof CUT_REASONS)[number];

interface Connection {
  readonly socket: Socket;
  /** Requests that are being answered. */
  busy: number;
  isFresh: boolean;
  /** When the present phase began, monotonic milliseconds. */
  since: number;
}

/** What tells a connection from all others, and is the same seen through TLS. */
export interface Peer {
  readonly remoteAddress?: string | undefined;
  readonly remotePort?: number | undefined;
  readonly localPort?: number | undefined;
}

/**
 * Every open connection with the phase it is in, and how long. Node watches over phases only of servers that listen
 * themselves, and over none of HTTP/2.
 */
export class Connections {
  /** Those that wait for a request stand in the order in which they began to. */
  readonly #open = new Map<string, Connection>();
  readonly #limits: ConnectionLimits;
  readonly #now: () => number;
  readonly #cut: (reason: CutReason, socket: Socket) => void;

  constructor(limits: ConnectionLimits, now: () => number, cut: (reason: CutReason, socket: Socket) => void) {
    this.#limits = limits;
    this.#now = now;
    this.#cut = cut;
  }

  get size(): number {
    return this.#open.size;
  }

  /** Takes a new connection in; false when there is no room, and it was cut. */
  admit(socket: Socket): boolean {
    if (this.#open.size >= this.#limits.maxOpen && !this.#evict()) {
      this.#end("connections", socket);
      return false;
    }
    const key = keyOf(socket);
    if (key === undefined) {
      // It was gone before it was looked at.
      socket.destroy();
      return false;
    }
    this.#open.set(key, { socket, busy: 0, isFresh: true, since: this.#now() });
    socket.once("close", () => {
      if (this.#open.get(key)?.socket === socket) this.#open.delete(key);
    });
    return true;
  }

  /** The head of a request has come in, and perhaps its body is to come. */
  requestBegins(peer: Peer): void {
    const connection = this.#find(peer);
    if (connection === undefined || connection.busy > 0) return;
    connection.isFresh = true;
    connection.since = this.#now();
  }

  /** A request is complete and is being answered. Returns what to call when its answer is over. */
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

  /** Cuts what has been in its phase for too long. */
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

  /** False when all are busy. */
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
