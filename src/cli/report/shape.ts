import { mapEntry } from "../../lib/map-entry.ts";
import { parseStatus } from "../../prtg/status.ts";
import fieldNames from "./field-names.gen.json" with { type: "json" };

export const VALUE_TYPES = [
  "null",
  "boolean",
  "integer",
  "number",
  "object",
  "array",
  "empty text",
  "text",
  "text of a number",
  "text of a number with a decimal comma",
  "text of a number with a unit",
  "text of a number with a decimal comma and a unit",
  "text of an id",
  "time",
  "time with fractions",
  "time with an offset",
  "status in upper case",
  "status in lower case",
  "status with a prefix",
  "word in upper case",
  "word in lower case",
] as const;

export type ValueType = (typeof VALUE_TYPES)[number];

/** Number of values by place (`$[].basic.priority`, `$` is the answer) and type. */
export type Shape = Readonly<Record<string, Readonly<Partial<Record<ValueType, number>>>>>;

/** Members of the API. Other names may be data, such as a device. Places have `*` for them. */
export const KNOWN_NAMES: ReadonlySet<string> = new Set(fieldNames);
const MAX_DEPTH = 8;
/** Words of the API. In other fields, the case of a value could reveal names. */
const WORD_FIELDS: ReadonlySet<string> = new Set(["type", "unittype"]);
const STATUS_FIELDS: ReadonlySet<string> = new Set(["status", "calculated_status"]);

/** Contains no name, text or number of the answer. */
export function shapeOf(answer: unknown): Shape {
  const counts = new Map<string, Map<ValueType, number>>();
  visit(answer, "$", "", 0, (place, type) => {
    const types = mapEntry(counts, place, () => new Map<ValueType, number>());
    types.set(type, (types.get(type) ?? 0) + 1);
  });
  const places = [...counts].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(places.map(([place, types]) => [place, Object.fromEntries([...types].toSorted())]));
}

function visit(
  value: unknown,
  place: string,
  field: string,
  depth: number,
  found: (place: string, type: ValueType) => void,
): void {
  found(place, typeOf(value, field));
  if (depth >= MAX_DEPTH || typeof value !== "object" || value === null) return;
  if (Array.isArray(value)) {
    for (const item of value) visit(item, `${place}[]`, field, depth + 1, found);
    return;
  }
  for (const [name, member] of Object.entries(value)) {
    const known = KNOWN_NAMES.has(name) ? name : "*";
    visit(member, `${place}.${known}`, known, depth + 1, found);
  }
}

function typeOf(value: unknown, field: string): ValueType {
  if (value === null || value === undefined) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  if (typeof value === "string") return typeOfText(value, field);
  return typeof value === "boolean" ? "boolean" : "object";
}

const NUMBER = /^[+-]?\d{1,30}([.,]\d{1,30})?(e[+-]?\d{1,4})?$/i;
const NUMBER_WITH_UNIT = /^[+-]?\d{1,30}([.,]\d{1,30})*\s?\D{1,20}$/;
/** A comma not before three digits, or after a point for thousands. */
const DECIMAL_COMMA = /,(?!\d{3}(?!\d))\d|\.\d{3},\d/;
const CHANNEL_ID = /^\d{1,12}\.-?\d{1,12}$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:?\d\d)$/;

function typeOfText(text: string, field: string): ValueType {
  if (text === "") return "empty text";
  if (STATUS_FIELDS.has(field) && parseStatus(text) !== undefined) {
    if (/^summed_info_/i.test(text)) return "status with a prefix";
    return text === text.toUpperCase() ? "status in upper case" : "status in lower case";
  }
  if (WORD_FIELDS.has(field) && /^[A-Z_]{1,40}$/.test(text)) return "word in upper case";
  if (WORD_FIELDS.has(field) && /^[a-z_]{1,40}$/.test(text)) return "word in lower case";
  const time = TIME.exec(text);
  if (time !== null) {
    if (time[2] !== "Z") return "time with an offset";
    return time[1] === undefined ? "time" : "time with fractions";
  }
  if (field === "id" && CHANNEL_ID.test(text)) return "text of an id";
  if (NUMBER.test(text)) {
    if (field === "id") return "text of an id";
    return DECIMAL_COMMA.test(text) ? "text of a number with a decimal comma" : "text of a number";
  }
  if (!VALUE_FIELDS.has(field) || !NUMBER_WITH_UNIT.test(text)) return "text";
  return DECIMAL_COMMA.test(text) ? "text of a number with a decimal comma and a unit" : "text of a number with a unit";
}

/** In other fields, `42 Main Street` is not a number. */
const VALUE_FIELDS: ReadonlySet<string> = new Set([
  "value",
  "display_value",
  "minimum",
  "maximum",
  "average",
  "display_volume",
  "interval",
]);
