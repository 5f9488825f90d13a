import { USER_TYPES } from "../auth/accounts.ts";
import type { ObjectKind } from "../world/objects.ts";
import { AVAILABLE, type Include, type Section } from "./include.ts";
import { fieldSchema, type JsonSchema, objectSchema, TEXT } from "./setting-schemas.ts";
import { settingSectionsOf } from "./settings.ts";
import { type SpellingName, STATUS_TOKENS, statusWords } from "./spelling.ts";

type Fields = Readonly<Record<string, JsonSchema>>;

const TEXTS = { type: "array", items: TEXT };
const TIME = { type: "string", format: "date-time" };
const COUNT = { type: "integer", minimum: 0 };
const NUMBER_OR_NULL = { type: ["number", "null"] };
const REFERENCE = objectSchema({ id: TEXT, type: TEXT, name: TEXT, href: TEXT }, ["id", "type", "name", "href"], true);

const INHERITANCE: Fields = {
  _inheritancesource: REFERENCE,
  _inherited: { type: "boolean" },
  _shadowed: { type: ["object", "null"] },
};

/** What a kind has in its default selection beside `id`, `name`, `href`, `type`, `kind` and `parent`. */
const OWN_FIELDS: Readonly<Record<ObjectKind, Fields>> = {
  probe: { status: TEXT },
  group: { status: TEXT },
  device: { status: TEXT, kind_variant: TEXT },
  sensor: {
    status: TEXT,
    kind_name: TEXT,
    favorite: { type: "boolean" },
    status_since: TIME,
    message: TEXT,
    lastup: TIME,
    lastdown: TIME,
  },
  channel: {
    last_measurement: {
      type: ["object", "null"],
      properties: {
        timestamp: TIME,
        value: NUMBER_OR_NULL,
        display_value: { type: ["number", "string", "null"] },
        minimum: NUMBER_OR_NULL,
        maximum: NUMBER_OR_NULL,
        average: NUMBER_OR_NULL,
        display_volume: NUMBER_OR_NULL,
      },
      required: ["timestamp", "value"],
      additionalProperties: true,
    },
  },
};

/** Each field that a record can have. Servers may add members at any time, so others are allowed. */
export function readSchema(kind: ObjectKind, include: Include, spelling: SpellingName): JsonSchema {
  const sections = [...new Set<Section>(["basic", ...include.sections])].map((name): [string, JsonSchema] => {
    return [name, sectionSchema(kind, name, include.inheritance, spelling)];
  });
  const summary: Fields =
    include.summary && AVAILABLE[kind].summary ? { sensor_status_summary: summarySchema(spelling) } : {};
  const members = { id: TEXT, name: TEXT, href: TEXT, type: TEXT, kind: TEXT };
  const properties = {
    ...members,
    parent: REFERENCE,
    ...OWN_FIELDS[kind],
    ...Object.fromEntries(sections),
    ...summary,
  };
  const always = [...Object.keys(members), ...(kind === "channel" ? [] : ["status"]), ...Object.keys(summary)];
  return objectSchema(properties, [...always, ...sections.map(([name]) => name)], true);
}

function sectionSchema(kind: ObjectKind, name: Section, inheritance: boolean, spelling: SpellingName): JsonSchema {
  if (name === "path") return { type: "array", items: REFERENCE };
  const inherited = inheritance ? INHERITANCE : {};
  const fields = kind === "channel" ? channelFields(spelling)[name] : nodeFields(kind, name, spelling);
  return objectSchema({ ...fields, ...inherited }, Object.keys(inherited), true);
}

/** The settings, and what follows from other things. */
function nodeFields(kind: Exclude<ObjectKind, "channel">, name: Section, spelling: SpellingName): Fields {
  const { flag } = settingTypes(spelling);
  const section = settingSectionsOf(kind).find((known) => known.name === name);
  const fields = (section?.fields ?? []).map((field): [string, JsonSchema] => [
    field.name,
    fieldSchema(field, spelling === "live"),
  ]);
  const derived: Fields = name === "basic" ? { parenttags: TEXTS, ...(kind === "sensor" ? {} : { active: flag }) } : {};
  return { ...Object.fromEntries(fields), ...derived, ...readOnlyFields(spelling)[name] };
}

/** Of sections that no request writes. */
function readOnlyFields(spelling: SpellingName): Readonly<Partial<Record<Section, Fields>>> {
  const { number } = settingTypes(spelling);
  return {
    discoverytypegroup: { discoverytype: number, discoveryschedule: number },
    accessrightsgroup: { accessrights: TEXTS },
  };
}

/** A channel has no settings that can be written. On live servers a limit that is not set is an empty text. */
function channelFields(spelling: SpellingName): Readonly<Partial<Record<Section, Fields>>> {
  const { flag, number } = settingTypes(spelling);
  return {
    basic: { name: TEXT, displayunit: TEXT, unittype: TEXT },
    alerting: {
      limitmode: flag,
      limitmaxerror: number,
      limitmaxwarning: number,
      limitminwarning: number,
      limitminerror: number,
      limiterrormsg: TEXT,
      limitwarningmsg: TEXT,
    },
    values: { unit: TEXT, factor: number, decimaldigits: number, lookup: TEXT },
  };
}

/** Live servers write all settings as texts. */
function settingTypes(spelling: SpellingName): { readonly flag: JsonSchema; readonly number: JsonSchema } {
  return spelling === "live"
    ? { flag: { type: "string", enum: ["0", "1"] }, number: { type: "string", pattern: "^(-?\\d.*)?$" } }
    : { flag: { type: "boolean" }, number: { type: "number" } };
}

function summarySchema(spelling: SpellingName): JsonSchema {
  const counters = STATUS_TOKENS.map((token) => (spelling === "live" ? statusWords(token) : token));
  const fields = {
    calculated_status: TEXT,
    total: COUNT,
    ...Object.fromEntries(counters.map((name) => [name, COUNT])),
  };
  return objectSchema(fields, ["calculated_status", "total", ...counters], true);
}

/** What reading a user with all sections answers. */
export function userReadSchema(spelling: SpellingName): JsonSchema {
  const { flag } = settingTypes(spelling);
  const properties = {
    ...{ id: TEXT, name: TEXT, href: TEXT, type: TEXT, kind: TEXT },
    basic: objectSchema({ name: TEXT, active: flag }, ["name", "active"], true),
    parent: REFERENCE,
    last_login: { type: ["string", "null"], format: "date-time" },
    useraccount: objectSchema(
      {
        loginname: TEXT,
        email: TEXT,
        usertype: { type: "string", enum: USER_TYPES },
        acknowledgealarms: flag,
        ticketmail: flag,
      },
      [],
      true,
    ),
    usergroups: objectSchema({ primarygroup: TEXT, groups: TEXTS }, [], true),
  };
  return objectSchema(properties, Object.keys(properties), true);
}
