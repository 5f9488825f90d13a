import { type ChannelLimits, LIMIT_NAMES, type LimitName } from "../records.ts";
import { booleanOf, finiteNumber, isAbsent, isObject, type JsonObject } from "./primitives.ts";
import type { DecodeProblems } from "./problems.ts";

const NO_LIMITS: ChannelLimits = Object.freeze({});

/**
 * Limits of a channel, from the section `alerting` (`limitmaxerror`, strings) or from the object `limits` of the
 * deprecated list (`limit_max_error`, numbers). Undefined when the record has neither.
 */
export function readLimits(record: JsonObject, problems: DecodeProblems): ChannelLimits | undefined {
  const section = isObject(record.alerting) ? record.alerting : record.limits;
  if (!isObject(section)) return undefined;
  // Limits that are kept, but switched off, as channel settings allow.
  if (booleanOf(section.limitmode ?? section.limit_mode) === false) return NO_LIMITS;
  let limits: { [name in LimitName]?: number } | undefined;
  for (const name of LIMIT_NAMES) {
    const value = section[SECTION_NAMES[name]] ?? section[LIST_NAMES[name]];
    if (isAbsent(value) || value === "") continue;
    const limit = finiteNumber(value);
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
