import { AsyncResource } from "node:async_hooks";
import { subscribe } from "node:diagnostics_channel";
import { stat } from "node:fs";
import type { Socket } from "node:net";
import { setImmediate } from "node:timers";

export interface ConnectionEnd {
  readonly localPort: number;
  readonly remotePort: number;
  readonly read: number;
  readonly written: number;
}

/** Two equal states: nothing happened in between. */
export interface ProcessState {
  readonly connecting: boolean;
  readonly connections: readonly ConnectionEnd[];
  /** Since the start. Shows connections that came and went between two states. */
  readonly openedAndClosed: number;
}

/** Work outside of JavaScript that calls back. */
const UNDER_WAY = new Set([
  "FSReqCallback",
  "FSReqPromise",
  "GetAddrInfoReqWrap",
  "Immediate",
  "PipeConnectWrap",
  "ShutdownWrap",
  "TCPConnectWrap",
  "WriteWrap",
]);
const CALM_ROUNDS = 2;

// Read before anything replaces them.
const nextTurn = setImmediate;
const askThreads = stat;
const resources = process.getActiveResourcesInfo.bind(process);

/** Detects by TCP connections when the process has nothing left to do. */
export class Activity {
  /** Unanswered by the threads. */
  tasks = 0;
  readonly #sockets = new Set<Socket>();
  #openedAndClosed = 0;
  /** Async ids of an idle round. */
  #idsOfRound = Number.POSITIVE_INFINITY;

  constructor() {
    const follow = (message: unknown) => {
      const { socket } = message as { readonly socket: Socket };
      this.#sockets.add(socket);
      this.#openedAndClosed++;
      socket.once("close", () => {
        this.#sockets.delete(socket);
        this.#openedAndClosed++;
      });
    };
    subscribe("net.client.socket", follow);
    subscribe("net.server.socket", follow);
  }

  state(): ProcessState {
    const tcp = [...this.#sockets].filter(({ destroyed }) => !destroyed);
    const connections: ConnectionEnd[] = [];
    let connecting = false;
    for (const socket of tcp) {
      const { localPort, remotePort, bytesRead: read, bytesWritten: written } = socket;
      if (socket.connecting) connecting = true;
      else if (localPort !== undefined && remotePort !== undefined) {
        connections.push({ localPort, remotePort, read, written });
      }
    }
    return { connecting, connections, openedAndClosed: this.#openedAndClosed };
  }

  /** The process waits only for timers and others: the last job of the single libuv thread has returned. */
  async settled(): Promise<ProcessState> {
    let before = "";
    for (let calm = 0; calm < CALM_ROUNDS; ) {
      const from = currentId();
      await turn();
      await new Promise<void>((resolve) => askThreads("/", () => resolve()));
      await turn();
      const ids = currentId() - from;
      this.#idsOfRound = Math.min(this.#idsOfRound, ids);
      const now = JSON.stringify(this.state());
      const isBusy = this.tasks > 0 || resources().some((type) => UNDER_WAY.has(type));
      const isCalm = ids === this.#idsOfRound && now === before && !isBusy;
      before = now;
      calm = isCalm ? calm + 1 : 0;
    }
    return this.state();
  }
}

/** Everything that outlives an event-loop turn takes an id, except data on a connection. */
function currentId(): number {
  return new AsyncResource("capture", { requireManualDestroy: true }).asyncId();
}

function turn(): Promise<void> {
  return new Promise((resolve) => void nextTurn(resolve));
}
