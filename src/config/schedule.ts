import { validateDetailed } from "node-cron";
import { CronTimes } from "./cron-times.ts";
import { formatDuration, parseDuration } from "./quantities.ts";

export type Schedule =
  | { readonly kind: "interval"; readonly everyMs: number }
  | {
      readonly kind: "cron";
      /** Six fields, seconds first, separated by single spaces. */
      readonly expression: string;
    };

const MINIMUM_INTERVAL_MS = 1_000;
/** Node's timers fire at once above 2^31 - 1 ms, just under 25 days. */
const MAXIMUM_INTERVAL_MS = 24 * 86_400_000;

/** Does not repeat the text. */
export interface ScheduleFault {
  readonly fault: string;
}

/** `30s`, or a cron expression with seconds (`0 *\/5 * * * *`). */
export function parseSchedule(text: string): Schedule | ScheduleFault {
  const fields = text.trim().split(/\s+/);
  return fields.length > 1 || text.includes("*") ? parseCron(fields) : parseInterval(text);
}

function parseInterval(text: string): Schedule | ScheduleFault {
  const everyMs = parseDuration(text);
  if (everyMs === undefined) return { fault: "" };
  if (everyMs < MINIMUM_INTERVAL_MS) return { fault: `the shortest is ${formatDuration(MINIMUM_INTERVAL_MS)}` };
  if (everyMs > MAXIMUM_INTERVAL_MS) return { fault: `the longest is ${formatDuration(MAXIMUM_INTERVAL_MS)}` };
  return { kind: "interval", everyMs };
}

function parseCron(fields: readonly string[]): Schedule | ScheduleFault {
  if (fields.length === 5) {
    return { fault: "it has five fields: add the seconds first, as in 0 */5 * * * *" };
  }
  if (fields.length !== 6) {
    return { fault: "it needs six fields: second, minute, hour, day of month, month, day of week" };
  }
  // node-cron expands ranges before it checks them.
  const huge = fields.findIndex((field) => /\d{3}/.test(field));
  if (huge !== -1) return { fault: `the field for the ${fieldName(FIELDS[huge])} is wrong` };
  const expression = fields.join(" ");
  const { valid, errors } = validateDetailed(expression);
  if (!valid) return { fault: `the field for the ${fieldName(errors[0]?.field)} is wrong` };
  // node-cron restarts each minute: `*/45` would fire at :00 and :45.
  for (const part of fields[0]?.split(",") ?? []) {
    const step = part.split("/")[1];
    if (step !== undefined && 60 % Number(step) !== 0) {
      return { fault: "a step of seconds must divide 60 (for other intervals, use a duration such as 45s)" };
    }
  }
  if (new CronTimes(expression).next(ANY_TIME) === undefined) {
    return { fault: "no date matches its day of month, month and day of week" };
  }
  return { kind: "cron", expression };
}

/** The result does not depend on the time. */
const ANY_TIME = Date.UTC(2000, 0, 1);

const FIELDS = ["second", "minute", "hour", "dayOfMonth", "month", "dayOfWeek"] as const;
const FIELD_NAMES: Readonly<Record<string, string>> = { dayOfMonth: "day of month", dayOfWeek: "day of week" };

function fieldName(field: string | undefined): string {
  return field === undefined ? "expression" : (FIELD_NAMES[field] ?? field);
}
