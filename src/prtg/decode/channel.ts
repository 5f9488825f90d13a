import { type ChannelLimits, type ChannelRecord, LIMIT_NAMES, type LimitName } from "../records.ts";
import { readNumber } from "./displayed.ts";
import { LOOKUP_REFERENCE, readLookupReference } from "./lookup.ts";
import {
  booleanOf,
  type DecodeProblems,
  idOf,
  isAbsent,
  isObject,
  type JsonObject,
  type Members,
  readTimestamp,
  sharedText,
  text,
} from "./values.ts";

/** What `decodeChannel` reads. */
export const CHANNEL_MEMBERS: Members = {
  id: true,
  name: true,
  parent: { id: true },
  basic: { name: true, displayunit: true, unittype: true, ...LOOKUP_REFERENCE },
  unit: true,
  last_measurement: { timestamp: true, display_value: true },
  alerting: true,
  limits: true,
  values: true,
  ...LOOKUP_REFERENCE,
};

/**
 * Decodes a tree node (unit in `basic.displayunit`) or a record of the deprecated list (`unit.display_unit`).
 * `undefined`, and counted, if the ids are unusable.
 */
export function decodeChannel(record: unknown, problems: DecodeProblems): Required<ChannelRecord> | undefined {
  const id = isObject(record) ? idOf(record.id) : undefined;
  if (!isObject(record) || id === undefined) {
    problems.record++;
    return undefined;
  }
  // The first dot: the rest may have dots.
  const dot = id.indexOf(".");
  const sensorId = parentId(record) ?? id.slice(0, Math.max(dot, 0));
  const channelId = id.slice(dot + 1);
  if (sensorId === "" || channelId === "") {
    problems.record++;
    return undefined;
  }
  const measurement = isObject(record.last_measurement) ? record.last_measurement : undefined;
  const unit = readUnit(record);
  return {
    sensorId,
    channelId,
    name: sharedText(text(record.name) ?? (isObject(record.basic) ? text(record.basic.name) : undefined) ?? ""),
    unit: sharedText(unit),
    value: measurement === undefined ? undefined : readValue(measurement.display_value, problems, unit),
    measuredAt: measurement === undefined ? undefined : readTimestamp(measurement.timestamp, problems),
    limits: readLimits(record, unit, problems),
    lookup: readLookupReference(record, problems),
  };
}

function parentId(record: JsonObject): string | undefined {
  return isObject(record.parent) ? idOf(record.parent.id) : undefined;
}

function readUnit(record: JsonObject): string {
  const { basic, unit } = record;
  if (isObject(basic) && typeof basic.displayunit === "string") return basic.displayunit;
  if (!isObject(unit)) return typeof unit === "string" ? unit : "";
  const displayUnit = text(unit.display_unit) ?? "";
  return displayUnit === "" ? (text(unit.custom) ?? "") : displayUnit;
}

/** No document defines the unit of the raw `value`. */
function readValue(value: unknown, problems: DecodeProblems, unit: string): number | undefined {
  if (isAbsent(value)) return undefined;
  const number = readNumber(value, unit);
  if (number === undefined) problems.value++;
  return number;
}

const NO_LIMITS: ChannelLimits = Object.freeze({});

function readLimits(record: JsonObject, unit: string, problems: DecodeProblems): ChannelLimits | undefined {
  const section = isObject(record.alerting) ? record.alerting : record.limits;
  if (!isObject(section)) return undefined;
  // Channel settings can keep limits that are switched off.
  if (booleanOf(section.limitmode ?? section.limit_mode) === false) return NO_LIMITS;
  let limits: { [name in LimitName]?: number } | undefined;
  for (const name of LIMIT_NAMES) {
    const value = section[SECTION_NAMES[name]] ?? section[LIST_NAMES[name]];
    if (isAbsent(value) || value === "") continue;
    const limit = readNumber(value, unit);
    if (limit === undefined) {
      problems.value++;
    } else {
      limits ??= {};
      limits[name] = limit;
    }
  }
  return limits ?? NO_LIMITS;
}

const SECTION_NAMES: Readonly<Record<LimitName, string>> = {
  max_error: "limitmaxerror",
  max_warning: "limitmaxwarning",
  min_warning: "limitminwarning",
  min_error: "limitminerror",
};

const LIST_NAMES: Readonly<Record<LimitName, string>> = {
  max_error: "limit_max_error",
  max_warning: "limit_max_warning",
  min_warning: "limit_min_warning",
  min_error: "limit_min_error",
};
