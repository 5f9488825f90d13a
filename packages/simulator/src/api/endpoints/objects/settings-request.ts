import { type ApiError, badRequest } from "../../../api-errors.ts";
import { type SettingField, type SettingSection, settingSectionsOf } from "../../../records/settings.ts";
import type { SimEdit, SimNode, SimSettings } from "../../../world/model.ts";
import { settingsInForce } from "../../../world/nodes/settings.ts";
import type { NodeKind } from "../../../world/objects.ts";

/** A settings request or a create request: section by section, what is to be changed. */
export type SettingsBody = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

export interface SettingsContext {
  readonly kind: NodeKind;
  /** Settings that are not given, of a section of which some are, stay as this object has them: itself, or its parent to be. */
  readonly base: SimNode;
  /** Whether `name` and what else a new object needs must be there. */
  readonly creates: boolean;
  /** Refuses what the user cannot make an object depend on. */
  readonly checkDependency: (id: string) => void;
}

type Values = Readonly<Record<string, string | number | readonly string[] | undefined>>;

/** Sections that come from the parent where the object has none of its own, as `_inherited` says: true gives up its own. */
const INHERITABLE = {
  intervalgroup: "interval",
  scheduledependency: "dependency",
  windowsconnection: "windows",
} as const satisfies Partial<Record<SettingSection["name"], keyof SimSettings>>;

/** Checks all of it first. @throws RequestRefused BAD_REQUEST with the position as a JSON pointer */
export function readSettings(body: SettingsBody, context: SettingsContext): SimEdit {
  const sections = settingSectionsOf(context.kind);
  for (const name of Object.keys(body)) {
    if (!sections.some((section) => section.name === name)) {
      throw wrong(`/${pointer(name)}`, `is not a writable section of a ${context.kind}`);
    }
  }
  const values = (name: SettingSection["name"]): Values | undefined => {
    const section = sections.find((one) => one.name === name);
    if (section === undefined || (body[name] === undefined && !context.creates)) return undefined;
    const { _inherited: inherited, ...given } = body[name] ?? {};
    const read = readSection(section, given, context);
    if (inherited === true) return undefined;
    return Object.keys(read).length === 0 && inherited === undefined ? undefined : read;
  };
  const inherits = (Object.keys(INHERITABLE) as (keyof typeof INHERITABLE)[]).filter(
    (name) => body[name]?._inherited === true,
  );
  const basic = values("basic") ?? {};
  const interval = values("intervalgroup");
  const dependency = values("scheduledependency");
  const windows = values("windowsconnection");
  return {
    ...pick(basic, "name", isText),
    ...pick(basic, "host", isText),
    ...pick(basic, "hostv6", isText),
    ...pick(basic, "tags", isTexts),
    ...pick(basic, "priority", isNumber),
    ...(basic.ipversion === undefined ? {} : { ipVersion: basic.ipversion === 0 ? 4 : 6 }),
    ...(interval === undefined ? {} : { interval: intervalOf(interval, context.base) }),
    ...(dependency === undefined ? {} : { dependency: dependencyOf(dependency, context) }),
    ...(windows === undefined ? {} : { windows: windowsOf(windows, context.base) }),
    ...(inherits.length === 0 || context.creates ? {} : { inherits: inherits.map((name) => INHERITABLE[name]) }),
  };
}

function readSection(section: SettingSection, given: Readonly<Record<string, unknown>>, context: SettingsContext) {
  const values: Record<string, string | number | readonly string[]> = {};
  for (const [name, value] of Object.entries(given)) {
    const at = `/${section.name}/${pointer(name)}`;
    const field = section.fields.find((one) => one.name === name);
    if (field === undefined) throw wrong(at, `is not a writable setting of a ${context.kind}`);
    values[name] = readValue(field, value, at);
  }
  for (const { name, required } of context.creates ? section.fields : []) {
    if (values[name] === undefined && required?.includes(context.kind))
      throw wrong(`/${section.name}/${name}`, "is required");
  }
  return values;
}

function readValue(field: SettingField, value: unknown, at: string) {
  switch (field.type) {
    case "text":
      if (typeof value !== "string") throw wrong(at, "must be a text");
      if (value.trim() === "" && field.mayBeEmpty !== true) throw wrong(at, "must not be empty");
      return value;
    case "texts":
      if (!isTexts(value)) throw wrong(at, "must be a list of texts");
      return value;
    case "integer": {
      const number = numberOf(value);
      if (number === undefined || !Number.isInteger(number)) throw wrong(at, "must be an integer");
      if (field.allowed?.includes(number) === false) throw wrong(at, `must be one of ${field.allowed.join(", ")}`);
      return number;
    }
  }
}

/** Live servers send every setting as a text, and a client may send back what it got. */
function numberOf(value: unknown): number | undefined {
  if (typeof value === "number") return value;
  return typeof value === "string" && /^\d+$/.test(value) ? Number(value) : undefined;
}

function intervalOf(values: Values, base: SimNode): Required<SimEdit>["interval"] {
  const { settings } = settingsInForce(base, "interval");
  return {
    seconds: isNumber(values.interval) ? values.interval : settings.seconds,
    errorIntervalsDown: isNumber(values.errorintervalsdown) ? values.errorintervalsdown : settings.errorIntervalsDown,
  };
}

function dependencyOf(values: Values, { base, checkDependency }: SettingsContext): Required<SimEdit>["dependency"] {
  const { settings } = settingsInForce(base, "dependency");
  const at = "/scheduledependency/dependency";
  const named = isText(values.dependency) ? values.dependency : undefined;
  const type = values.dependencytype ?? (named !== undefined || settings.dependsOn !== undefined ? 1 : 0);
  const dependsOn = type === 0 ? undefined : (named ?? settings.dependsOn);
  if (type === 0 && named !== undefined) throw wrong(at, "needs the dependencytype 1");
  if (type === 1 && dependsOn === undefined) throw wrong(at, "is required with the dependencytype 1");
  if (dependsOn !== undefined) checkDependency(dependsOn);
  return { schedule: isText(values.schedule) ? values.schedule : settings.schedule, dependsOn };
}

function windowsOf(values: Values, base: SimNode): Required<SimEdit>["windows"] {
  const { settings } = settingsInForce(base, "windows");
  return {
    domain: isText(values.windowslogindomain) ? values.windowslogindomain : settings.domain,
    username: isText(values.windowsloginusername) ? values.windowsloginusername : settings.username,
    password: isText(values.windowsloginpassword) ? values.windowsloginpassword : settings.password,
  };
}

function pick<Name extends string, Value>(
  values: Values,
  name: Name,
  is: (value: unknown) => value is Value,
): { readonly [Key in Name]?: Value } {
  const value = values[name];
  return is(value) ? ({ [name]: value } as { readonly [Key in Name]?: Value }) : {};
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isNumber(value: unknown): value is number {
  return typeof value === "number";
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === "string" && each.trim() !== "");
}

function pointer(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}

function wrong(at: string, what: string): ApiError {
  return badRequest(`The body at ${at} ${what}`);
}
