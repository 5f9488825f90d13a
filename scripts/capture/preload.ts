// Controls the program's time, timers, randomness, machine and ports.
import { once } from "node:events";
import "node:http";
import net from "node:net";
import { createInterface } from "node:readline";
import "node:tls";
import workerThreads, { isMainThread } from "node:worker_threads";
import "node:zlib";
import { Activity } from "./activity.ts";
import { fixMachine } from "./fixed-machine.ts";
import type { Order, Report } from "./protocol.ts";
import { installPorts } from "./virtual-ports.ts";
import { installTime, VirtualTime } from "./virtual-time.ts";

const { CAPTURE_SOCKET, CAPTURE_TIME, CAPTURE_NAME, CAPTURE_PORTS } = process.env;
if (isMainThread && CAPTURE_SOCKET !== undefined) {
  for (const name of ["CAPTURE_SOCKET", "CAPTURE_TIME", "CAPTURE_NAME", "CAPTURE_PORTS"]) delete process.env[name];
  await begin(CAPTURE_SOCKET);
}

async function begin(path: string): Promise<void> {
  const control = net.connect(path);
  await once(control, "connect");
  const report = (message: Report) => void control.write(`${JSON.stringify(message)}\n`);
  report({ kind: "hello", name: CAPTURE_NAME ?? "" });
  const activity = new Activity();
  const time = new VirtualTime(Number(CAPTURE_TIME), (needed) => (needed ? control.ref() : control.unref()));
  const follow = async (order: Order) => {
    if (order.kind === "advance") {
      const fired = await time.advanceTo(order.to);
      report({ kind: "advanced", fired, next: time.next });
    } else {
      const state = await activity.settled();
      report({ kind: "settled", state, next: time.next, nextRef: time.nextRef });
    }
  };
  createInterface({ input: control }).on("line", (line) => void follow(JSON.parse(line) as Order));
  control.unref();
  control.on("error", () => process.exit(1)).on("close", () => process.exit(1));
  installPorts(new Map(JSON.parse(CAPTURE_PORTS ?? "[]") as [number, number][]), (named, actual) =>
    report({ kind: "listening", named, actual }),
  );
  followThreads(activity);
  fixMachine();
  installTime(time);
}

/** Threads answer each message once. */
function followThreads(activity: Activity): void {
  const { Worker } = workerThreads;
  const prototype: { postMessage?: unknown; emit?: unknown } = Worker.prototype;
  const { postMessage, emit } = prototype;
  const tasksOf = new WeakMap<object, number>();
  const count = (worker: object, change: number) => {
    const before = tasksOf.get(worker) ?? 0;
    const tasks = Math.max(0, before + change);
    tasksOf.set(worker, tasks);
    activity.tasks += tasks - before;
  };
  prototype.postMessage = function (this: object, ...args: unknown[]) {
    count(this, 1);
    return call(postMessage, this, args);
  };
  // Code may remove listeners.
  prototype.emit = function (this: object, ...args: unknown[]) {
    if (args[0] === "message") count(this, -1);
    if (args[0] === "exit") count(this, Number.NEGATIVE_INFINITY);
    return call(emit, this, args);
  };
}

function call(method: unknown, owner: object, args: readonly unknown[]): unknown {
  return typeof method === "function" ? Reflect.apply(method, owner, args) : undefined;
}
