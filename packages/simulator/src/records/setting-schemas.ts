import { USER_TYPES } from "../auth/accounts.ts";
import type { NodeKind } from "../world/objects.ts";
import type { Section } from "./include.ts";
import { type SettingField, type SettingSection, settingSectionsOf } from "./settings.ts";

/** A JSON Schema, as the specification's "schema definition" has no shape shown. */
export type JsonSchema = Readonly<Record<string, unknown>>;

export const TEXT = { type: "string" };
const NON_EMPTY_TEXT = { type: "string", pattern: "\\S" };

/**
 * Made from the same table by which requests are read, so that the one cannot say what the other refuses.
 * @param texts whether numbers can be texts, as live servers write them; requests can have both
 */
export function fieldSchema(field: SettingField, texts: boolean): JsonSchema {
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
    const inherited = section.name === "basic" ? {} : { _inherited: { type: "boolean" } };
    return [section.name, objectSchema({ ...Object.fromEntries(fields), ...inherited }, required, false)];
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
export function userWriteSchema(creates: boolean): JsonSchema {
  const flag = { type: "boolean" };
  const basic = objectSchema({ name: NON_EMPTY_TEXT, active: flag }, creates ? ["name"] : [], false);
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

export function objectSchema(
  properties: Readonly<Record<string, JsonSchema>>,
  required: readonly string[],
  additionalProperties: boolean,
): JsonSchema {
  return { type: "object", properties, required, additionalProperties };
}
