import { badRequest } from "../api-errors.ts";

const DATE_TIME =
  /^(?<year>\d{4})-(?<month>\d\d)-(?<day>\d\d)[Tt](?<hour>\d\d):(?<minute>\d\d):(?<second>\d\d)(?<fraction>\.\d+)?(?:[Zz]|(?<sign>[+-])(?<offsetHour>\d\d):(?<offsetMinute>\d\d))$/;

/** Milliseconds since the epoch; undefined when absent or empty. @throws RequestRefused BAD_REQUEST */
export function dateTimeParameter(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name) ?? "";
  if (text === "") return undefined;
  const time = parseDateTime(text);
  if (time === undefined) throw badRequest(`${name} must be an RFC 3339 date-time such as 2026-03-12T17:00:00Z`);
  return time;
}

/** Milliseconds since the epoch; undefined for what is no RFC 3339 date-time. `Date.parse` takes a 31st of February. */
export function parseDateTime(text: string): number | undefined {
  const groups = DATE_TIME.exec(text)?.groups;
  if (groups === undefined) return undefined;
  const part = (name: string): number => Number(groups[name] ?? 0);
  const [year, month, day] = [part("year"), part("month"), part("day")];
  const [hour, minute, second] = [part("hour"), part("minute"), part("second")];
  const [offsetHour, offsetMinute] = [part("offsetHour"), part("offsetMinute")];
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined;
  // The last minute of a day can have a leap second, which counts as the first of the next day here.
  if (hour > 23 || minute > 59 || second > 60 || offsetHour > 23 || offsetMinute > 59) return undefined;
  const offset = (groups.sign === "-" ? -1 : 1) * (offsetHour * 60 + offsetMinute);
  return date.getTime() + ((hour * 60 + minute - offset) * 60 + second) * 1000 + Math.floor(part("fraction") * 1000);
}

const INTEGER = /^-?[0-9]+$/;
const INT32_MAX = 2_147_483_647;

/** An integer parameter; undefined when absent. Unknown parameters are ignored, of a repeated one the first counts (lists: see `Contract.queryOf`). */
export function integerParameter(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  const value = Number(text);
  if (!INTEGER.test(text) || Math.abs(value) > INT32_MAX) throw badRequest(`${name} must be an integer`);
  return value;
}

/** A boolean parameter, false when absent. */
export function booleanParameter(query: URLSearchParams, name: string): boolean {
  const text = query.get(name);
  if (text === null || text === "false") return false;
  if (text === "true") return true;
  throw badRequest(`${name} must be true or false`);
}
