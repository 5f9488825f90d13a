import { z } from "zod";
import { durationSchema } from "../scenario/schema.ts";
import { type ControlCall, type ControlOperation, type ControlReply, isoTime, ok, readBody } from "./operation.ts";

const none = z.strictObject({});

const freezeSchema = z.strictObject({ at: z.iso.datetime({ offset: true }).optional() });

export const TIME_OPERATIONS: readonly ControlOperation[] = [
  { method: "GET", path: "/time", description: "returns the simulated time and its speed", handle: show },
  {
    method: "POST",
    path: "/time/freeze",
    description: "stops the time, now or `at` a moment",
    handle(call) {
      const { at } = readBody(call.text, freezeSchema);
      call.time.freeze(at === undefined ? undefined : Date.parse(at));
      return show(call);
    },
  },
  {
    method: "POST",
    path: "/time/step",
    description: "moves the time forward `by` a duration and stops it",
    handle(call) {
      call.time.step(readBody(call.text, z.strictObject({ by: durationSchema })).by);
      return show(call);
    },
  },
  {
    method: "POST",
    path: "/time/resume",
    description: "continues the time after a stop",
    handle(call) {
      readBody(call.text, none);
      call.time.resume();
      return show(call);
    },
  },
  {
    method: "POST",
    path: "/time/speed",
    description: "sets the `speed`, in simulated seconds per second",
    handle(call) {
      call.time.setSpeed(readBody(call.text, z.strictObject({ speed: z.number() })).speed);
      return show(call);
    },
  },
];

function show(call: ControlCall): ControlReply {
  return ok(describeTime(call));
}

export function describeTime({ time, now }: ControlCall): Readonly<Record<string, unknown>> {
  return { now: isoTime(now()), speed: time.speed, frozen: time.frozen };
}
