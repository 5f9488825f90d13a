import { USER_TYPES } from "../auth/accounts.ts";
import type { NodeKind, ObjectKind } from "../world/objects.ts";
import { AVAILABLE, type Include, type Section } from "./include.ts";
import { type SettingField, type SettingSection, settingSectionsOf } from "./settings.ts";
import type { SpellingName } from "./spelling.ts";

/** A JSON Schema, as the specification's "schema definition" has no shape shown. */
export type JsonSchema = Readonly<Record<string, unknown>>;

const TEXT = { type: "string" };
const NON_EMPTY_TEXT = { type: "string", pattern: "\\S" };

/**
 * Made from the same table by which requests are read, so that the one cannot say what the other refuses.
 * @param texts whether numbers can be texts, as live servers write them; requests can have both
 */
function fieldSchema(field: SettingField, texts: boolean): JsonSchema {
  switch (field.type) {
    case "text":
      return field.mayBeEmpty === true ? TEXT : NON_EMPTY_TEXT;
    case "texts":
      return { type: "array", items: NON_EMPTY_TEXT };
    case "integer":
      return integerSchema(field.allowed, texts);
  }
}

function integerSchema(allowed: readonly number[] | undefined, texts: boolean): JsonSchema {
  if (allowed === undefined) {
    const integer = { type: "integer" };
    return texts ? { anyOf: [integer, { type: "string", pattern: "^\\d+$" }] } : integer;
  }
  return texts
    ? { type: ["integer", "string"], enum: [...allowed, ...allowed.map(String)] }
    : { type: "integer", enum: allowed };
}

export interface WriteSchemaOptions {
  readonly kind: NodeKind;
  /** Sections to describe beside `basic`; the others are allowed, too. */
  readonly sections: ReadonlySet<Section>;
  /** Whether it is about a new object, which needs some settings. */
  readonly creates: boolean;
}

/** The schema of a settings request or a create request. */
export function writeSchema({ kind, sections, creates }: WriteSchemaOptions): JsonSchema {
  const all = settingSectionsOf(kind);
  const shown = all.filter(({ name }) => name === "basic" || sections.has(name));
  const needed = (section: SettingSection): readonly string[] =>
    creates ? section.fields.filter(({ required }) => required?.includes(kind)).map(({ name }) => name) : [];
  const properties = shown.map((section): [string, JsonSchema] => {
    const fields = section.fields.map((field): [string, JsonSchema] => [field.name, fieldSchema(field, true)]);
    const required = needed(section);
    return [section.name, objectSchema(Object.fromEntries(fields), required, false)];
  });
  const required = shown.filter((section) => needed(section).length > 0).map(({ name }) => name);
  const others = all.filter((section) => !shown.includes(section)).map(({ name }) => name);
  return objectSchema(
    { ...Object.fromEntries(properties), ...Object.fromEntries(others.map((name) => [name, { type: "object" }])) },
    required,
    false,
  );
}

/** User accounts have settings, but nothing in the interface writes them; the names are those that reading shows. */
export function userSchema(creates: boolean): JsonSchema {
  const basic = objectSchema({ name: NON_EMPTY_TEXT, active: { type: "boolean" } }, creates ? ["name"] : [], false);
  const flag = { type: "boolean" };
  const account = {
    loginname: NON_EMPTY_TEXT,
    email: TEXT,
    usertype: { type: "string", enum: USER_TYPES },
    acknowledgealarms: flag,
    ticketmail: flag,
  };
  const groups = { primarygroup: NON_EMPTY_TEXT, groups: { type: "array", items: NON_EMPTY_TEXT } };
  return objectSchema(
    {
      basic,
      useraccount: objectSchema(account, creates ? ["loginname"] : [], false),
      usergroups: objectSchema(groups, [], false),
    },
    creates ? ["basic", "useraccount"] : [],
    false,
  );
}

function objectSchema(
  properties: Readonly<Record<string, JsonSchema>>,
  required: readonly string[],
  additionalProperties: boolean,
): JsonSchema {
  return { type: "object", properties, required, additionalProperties };
}

const TEXTS = { type: "array", items: TEXT };
const ANY_OBJECT = { type: "object" };
const REFERENCE = objectSchema({ id: TEXT, type: TEXT, name: TEXT, href: TEXT }, ["id", "type", "name", "href"], true);

const INHERITANCE = {
  _inheritancesource: { anyOf: [REFERENCE, { type: "null" }] },
  _inherited: { type: "boolean" },
  _shadowed: { type: ["object", "null"] },
};

/** What reading an object of the tree answers. Servers may add members at any time, so further ones are allowed. */
export function readSchema(kind: ObjectKind, include: Include, spelling: SpellingName): JsonSchema {
  const sections = [...new Set<Section>(["basic", ...include.sections])].map((name): [string, JsonSchema] => {
    return [name, sectionSchema(kind, name, include.inheritance, spelling)];
  });
  const state = kind === "channel" ? {} : { status: TEXT };
  const more =
    kind === "sensor" ? { status_since: TEXT, message: TEXT, lastup: TEXT, lastdown: TEXT, kind_name: TEXT } : {};
  const measured = kind === "channel" ? { last_measurement: { type: ["object", "null"] } } : {};
  const summary: Record<string, JsonSchema> =
    include.summary && AVAILABLE[kind].summary ? { sensor_status_summary: ANY_OBJECT } : {};
  const members = { id: TEXT, name: TEXT, href: TEXT, type: TEXT, kind: TEXT, parent: REFERENCE };
  const properties = { ...members, ...state, ...more, ...measured, ...Object.fromEntries(sections), ...summary };
  const always = ["id", "name", "href", "type", "kind", ...Object.keys(state), ...Object.keys(summary)];
  return objectSchema(properties, [...always, ...sections.map(([name]) => name)], true);
}

function sectionSchema(kind: ObjectKind, name: Section, inheritance: boolean, spelling: SpellingName): JsonSchema {
  if (name === "path") return { type: "array", items: REFERENCE };
  const inherited = inheritance ? INHERITANCE : {};
  const required = Object.keys(inherited);
  if (kind === "channel") return objectSchema({ ...CHANNEL_SECTIONS[name], ...inherited }, required, true);
  const section = settingSectionsOf(kind).find((known) => known.name === name);
  const fields = (section?.fields ?? []).map((field): [string, JsonSchema] => [
    field.name,
    fieldSchema(field, spelling === "live"),
  ]);
  const derived = name === "basic" ? { parenttags: TEXTS, active: { type: ["boolean", "string"] } } : {};
  return objectSchema({ ...Object.fromEntries(fields), ...derived, ...inherited }, required, true);
}

/** A channel has no settings that can be written. */
const CHANNEL_SECTIONS: Readonly<Partial<Record<Section, Readonly<Record<string, JsonSchema>>>>> = {
  basic: { name: TEXT, displayunit: TEXT, unittype: TEXT },
};
