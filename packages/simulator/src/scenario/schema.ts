import { z } from "zod";
import { FaultSyntaxError, parseFault } from "../faults/grammar.ts";
import type { SimStatus } from "../world/model.ts";
import { DAY_MS, parseDuration, parseStepTime, type StepTime } from "./times.ts";

/** What can be shown by a step; the others follow from something: a pause above, an acknowledgement. */
export const SETTABLE_STATUSES = [
  "up",
  "warning",
  "down",
  "unusual",
  "partialdown",
  "unknown",
  "none",
  "collecting",
  "disconnected",
  "pausedbyuser",
  "pauseduntil",
  "pausedbyschedule",
  "pausedbylicense",
] as const satisfies readonly SimStatus[];

const NODE_TYPES = ["probe", "group", "device", "sensor"] as const;

const text = z.string("expected a text").min(1, "expected a non-empty text");
const positiveInteger = z.number("expected a number").int("expected a whole number").min(1, "expected at least 1");
const onlyTrue = z.literal(true, "expected true, or no such key");
const number = z.number("expected a number");
const id = z.union([text, z.number().int().transform(String)], "expected an id or a list of ids");

/** Milliseconds. */
export const durationSchema = z
  .string("expected a duration such as 90s or 1h30m")
  .transform((value, context): number => {
    const ms = parseDuration(value);
    if (ms !== undefined && ms > 0) return ms;
    context.issues.push({ code: "custom", message: "expected a duration such as 90s or 1h30m", input: value });
    return z.NEVER;
  });

const TIME_EXPECTED =
  'expected a time of the day such as "10:05" (UTC, in quotes), or an offset from the start such as +90s';

const timeSchema = z.string(TIME_EXPECTED).transform((value, context): StepTime => {
  const time = parseStepTime(value);
  if (time !== undefined) return time;
  context.issues.push({ code: "custom", message: TIME_EXPECTED, input: value });
  return z.NEVER;
});

/** Which objects a step is about: those that fit everything it says. */
export interface Selection {
  readonly id?: string | readonly string[] | undefined;
  readonly path?: string | undefined;
  readonly type?: (typeof NODE_TYPES)[number] | undefined;
  readonly kind?: string | undefined;
  readonly tag?: string | undefined;
  readonly below?: Selection | undefined;
  readonly limited?: true | undefined;
  readonly first?: number | undefined;
}

const selectionSchema: z.ZodType<Selection> = z
  .strictObject(
    {
      id: z.union([id, z.array(id).min(1)], "expected an id or a list of ids").optional(),
      path: text.optional(),
      type: z.enum(NODE_TYPES, `expected one of ${NODE_TYPES.join(", ")}`).optional(),
      kind: text.optional(),
      tag: text.optional(),
      get below() {
        return selectionSchema.optional();
      },
      limited: onlyTrue.optional(),
      first: positiveInteger.optional(),
    },
    "expected a map that selects objects: id, path, type, kind, tag, below",
  )
  .refine(
    ({ first: _, limited: __, ...criteria }) => Object.keys(criteria).length > 0,
    "expected id, path, type, kind, tag or below",
  );

const setSchema = z.strictObject(
  {
    channel: z.union([text, number], "expected the name or the number of a channel"),
    to: number,
    over: durationSchema.optional(),
  },
  "expected a map with channel, to and optionally over",
);

const addSchema = z
  .strictObject(
    {
      sensor: text.optional(),
      device: text.optional(),
      kind: text.optional(),
      count: positiveInteger.max(1000).optional(),
    },
    "expected a map with sensor or device, and optionally count",
  )
  .refine(
    ({ sensor, device }) => (sensor === undefined) !== (device === undefined),
    "expected sensor or device, and only one of them",
  )
  .refine(({ sensor, kind }) => sensor !== undefined || kind === undefined, "only a sensor has a kind");

const faultSchema = text.check(({ value, issues }) => {
  try {
    parseFault(value);
  } catch (error) {
    if (!(error instanceof FaultSyntaxError)) throw error;
    issues.push({ code: "custom", message: error.message, input: value });
  }
});

export const ACTIONS = ["status", "set", "acknowledge", "rename", "move", "add", "remove", "fault"] as const;
/** What happens to objects, and not to the service. */
export type ActionName = Exclude<(typeof ACTIONS)[number], "fault">;
export const OBJECT_ACTIONS: readonly ActionName[] = ACTIONS.filter((name) => name !== "fault");

/** Those that last, and can be repeated. */
const LASTING_ACTIONS: readonly string[] = ["status", "set", "fault"];

const stepSchema = z
  .strictObject(
    {
      at: timeSchema,
      select: selectionSchema.optional(),
      for: durationSchema.optional(),
      daily: onlyTrue.optional(),
      repeat: z
        .strictObject(
          { times: positiveInteger.min(2, "expected at least 2"), every: durationSchema },
          "expected times and every",
        )
        .optional(),
      message: text.optional(),
      status: z.enum(SETTABLE_STATUSES, `expected one of ${SETTABLE_STATUSES.join(", ")}`).optional(),
      set: setSchema.optional(),
      acknowledge: onlyTrue.optional(),
      rename: text.optional(),
      move: selectionSchema.optional(),
      add: addSchema.optional(),
      remove: onlyTrue.optional(),
      fault: faultSchema.optional(),
    },
    "expected a map with at, select and an action",
  )
  .check(({ value: step, issues }) => {
    const complain = (key: string | undefined, message: string): void => {
      issues.push({ code: "custom", message, input: step, path: key === undefined ? [] : [key] });
    };
    const [action, other] = ACTIONS.filter((name) => step[name] !== undefined);
    if (action === undefined) return complain(undefined, `the action is missing: one of ${ACTIONS.join(", ")}`);
    if (other !== undefined) return complain(other, `a step has one action, and this one already has ${action}`);
    if (action !== "fault" && step.select === undefined) complain("select", "expected a map that selects objects");
    if (action === "fault" && step.select !== undefined) complain("select", "is not allowed with fault");
    if (action === "fault" && step.daily) complain("daily", "is not allowed with fault");
    for (const key of ["for", "daily", "repeat"] as const) {
      if (step[key] !== undefined && !LASTING_ACTIONS.includes(action))
        complain(key, "is allowed only with status, set and fault");
    }
    if (step.message !== undefined && action !== "status" && action !== "acknowledge") {
      complain("message", "is allowed only with status and acknowledge");
    }
    if (step.daily && step.repeat !== undefined) complain("repeat", "daily and repeat exclude each other");
    const every = step.repeat?.every ?? (step.daily ? DAY_MS : undefined);
    if (every === undefined) return;
    if (step.for === undefined) complain(step.daily ? "daily" : "repeat", "a repeated step needs for, its duration");
    else if (step.for > every) complain("for", "must end before the next repetition");
  });

export const scenarioSchema = z.strictObject(
  {
    name: text,
    description: text.optional(),
    steps: z.array(stepSchema, "expected a list of steps").min(1, "expected at least one step"),
  },
  "expected a map with name and steps",
);

export type StepSpec = z.output<typeof stepSchema>;
export type ScenarioSpec = z.output<typeof scenarioSchema>;
