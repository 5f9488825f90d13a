import { readFileSync } from "node:fs";

/*
 * Loaded into the exporter before its own modules (`node --import`): its wall clock is ahead of the machine's by what a
 * file says, in milliseconds. The monotonic clock and timers stay as they are, as when an operator sets the time.
 */

const LOOK_EVERY_MS = 100;
const RealDate = Date;
let aheadMs = 0;

/** Reads the file again; a file that cannot be read changes nothing. */
function look(file: string): void {
  try {
    const value = Number(readFileSync(file, "utf8"));
    if (Number.isFinite(value)) aheadMs = value;
  } catch {
    // Between two versions of the file.
  }
}

const jumpingNow = (): number => RealDate.now() + aheadMs;

globalThis.Date = new Proxy(RealDate, {
  construct: (target, args, newTarget) =>
    Reflect.construct(target, args.length === 0 ? [jumpingNow()] : args, newTarget),
  apply: () => new RealDate(jumpingNow()).toString(),
  get: (target, key, receiver) => (key === "now" ? jumpingNow : Reflect.get(target, key, receiver)),
});

const file = process.env.SOAK_CLOCK_FILE;
if (file !== undefined) {
  look(file);
  setInterval(look, LOOK_EVERY_MS, file).unref();
}
