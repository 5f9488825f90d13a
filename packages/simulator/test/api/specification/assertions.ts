import type { SpellingName } from "../../../src/records/spelling.ts";
import { type Answer, type Found, isObject, isReference, visitValues } from "./walk.ts";

export interface Assertion {
  readonly chapter: string;
  readonly says: string;
  /** Live servers differ. */
  readonly spelling?: SpellingName;
  /** Undefined: not applicable. */
  readonly holds: (found: Found) => boolean | undefined;
}

const TYPES = ["channel", "device", "group", "library", "probe", "sensor", "user", "usergroup"];
const TOKENS = [
  ...["none", "unknown", "collecting", "up", "warning", "down", "disconnected", "pausedbyuser", "pausedbydependency"],
  ...["pausedbyschedule", "unusual", "pausedbylicense", "pauseduntil", "acknowledged", "partialdown"],
];
const REFERENCED = ["ROOT", "PROBE", "GROUP", "DEVICE", "SENSOR", "USER", "USERGROUP"].map(
  (kind) => `REFERENCED_${kind}`,
);
const SECTIONS = ["basic", "intervalgroup", "scheduledependency", "windowsconnection", "alerting", "values"];
const ACCOUNT_SECTIONS = ["useraccount", "usergroups", "usergroup", "members"];
const INHERITANCE = ["_inheritancesource", "_inherited", "_shadowed"];
const HINTS = [
  ...["CredentialsMissing", "ProbeIsDisconnected", "SensorNeedsLocalProbe", "SensorNeedsLocalProbeDevice"],
  ...["SensorNeedsProbeDevice", "MissingCredentialGroup"],
];

const DATE = /^\d{4}-\d\d-\d\dT/;
const UTC = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

function isTreeNode(value: unknown): value is Readonly<Record<string, unknown>> {
  return isObject(value) && isObject(value.basic) && typeof value.type === "string";
}

function isList(value: unknown, is: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(is);
}

/** "Section values are strings, numbers, integers, booleans, arrays of strings or arrays of integers." */
function isSectionValue(value: unknown): boolean {
  return (
    ["string", "number", "boolean"].includes(typeof value) ||
    isList(value, (item) => typeof item === "string") ||
    isList(value, Number.isInteger)
  );
}

function isSection({ name, value, where }: Found): boolean {
  // Users include a section named after each other list.
  return isObject(value) && [...SECTIONS, ...ACCOUNT_SECTIONS].includes(name) && !where.endsWith("]");
}

const RESOURCES: readonly Assertion[] = [
  {
    chapter: "General conventions, 3",
    says: "timestamps are ISO 8601 in UTC",
    holds: ({ value }) => (typeof value === "string" && DATE.test(value) ? UTC.test(value) : undefined),
  },
  {
    chapter: "General conventions, 5",
    says: "object IDs are strings",
    holds: ({ name, value }) => (/^id$|_id$/i.test(name) ? typeof value === "string" && value !== "" : undefined),
  },
  {
    chapter: "Resources: Object kinds",
    says: "type has the allowed values",
    spelling: "specification",
    holds: ({ value }) => (isTreeNode(value) ? TYPES.includes(String(value.type)) : undefined),
  },
  {
    chapter: "Resources: Status tokens",
    says: "status has the allowed values",
    spelling: "specification",
    holds: ({ value }) =>
      isObject(value) && "status" in value && ("basic" in value || "path" in value) && value.kind !== "autodiscoveryjob"
        ? TOKENS.includes(String(value.status))
        : undefined,
  },
  {
    chapter: "Resources: Reference object",
    says: "type is one of the reference types",
    spelling: "specification",
    holds: ({ value }) => (isReference(value) ? REFERENCED.includes(String(value.type)) : undefined),
  },
  {
    chapter: "Resources: Reference object",
    says: "href is the URL path of a REST resource, or restricted",
    holds: ({ value }) =>
      isReference(value) ? value.href === "restricted" || String(value.href).startsWith("/api/v2/") : undefined,
  },
  {
    chapter: "Resources: Reference object",
    says: "a reference to an object has all four fields",
    holds: ({ name, value }) =>
      ["parent", "node", "user", "probe", "object", "channel", "primary_group", "_inheritancesource"].includes(name) &&
      // Object counts use the same names.
      value !== null &&
      typeof value !== "number"
        ? isReference(value)
        : undefined,
  },
];

const TREE_NODES: readonly Assertion[] = [
  {
    chapter: "Resources: Tree node response",
    says: "always carries href, id, kind, name",
    holds: ({ value }) =>
      isTreeNode(value) ? ["href", "id", "kind", "name"].every((field) => typeof value[field] === "string") : undefined,
  },
  {
    chapter: "Resources: Tree node response",
    says: "section values are strings, numbers, integers, booleans, arrays of strings or of integers",
    holds: (found) => {
      if (!isSection(found)) return undefined;
      const settings = Object.entries(found.value as object).filter(([name]) => !INHERITANCE.includes(name));
      return settings.every(([, value]) => isSectionValue(value));
    },
  },
  {
    chapter: "Resources: Tree node response, inheritance",
    says: "each returned section carries _inheritancesource, _inherited, _shadowed",
    holds: (found) => {
      if (!isSection(found) || !/include=(\*|[\w,]*inheritance)/.test(found.where)) return undefined;
      return INHERITANCE.every((name) => name in (found.value as object));
    },
  },
  {
    chapter: "Resources: Tree node response, inheritance",
    says: "_inheritancesource is a reference object, _inherited a boolean",
    holds: ({ name, value }) => {
      if (name === "_inheritancesource") return isReference(value);
      return name === "_inherited" ? typeof value === "boolean" : undefined;
    },
  },
  {
    chapter: "Resources: Tree node response, inheritance",
    says: "_shadowed is an object with the settings of the source, null when _inherited is false",
    holds: ({ value }) => {
      if (!isObject(value) || !("_inherited" in value)) return undefined;
      const { _inherited, _inheritancesource, _shadowed, ...settings } = value;
      if (_inherited === false) return _shadowed === null;
      return isObject(_shadowed) && Object.keys(_shadowed).sort().join() === Object.keys(settings).sort().join();
    },
  },
  {
    chapter: "Resources: Tree node response",
    says: "the password of windowsconnection is returned masked",
    holds: ({ name, value }) => (name === "windowsloginpassword" ? /^\*+$/.test(String(value)) : undefined),
  },
];

const OTHER_SHAPES: readonly Assertion[] = [
  {
    chapter: "Resources: Device icon",
    says: "id and href are strings, extensions an array of strings",
    holds: ({ value }) =>
      isObject(value) && "extensions" in value
        ? [value.id, value.href].every((one) => typeof one === "string") &&
          isList(value.extensions, (one) => typeof one === "string")
        : undefined,
  },
  {
    chapter: "Resources: Creatable-kind list item",
    says: "hints is an array of the allowed values, or null",
    holds: ({ name, value }) => {
      if (name !== "hints" || typeof value === "string") return undefined;
      return value === null || isList(value, (hint) => HINTS.includes(String(hint)));
    },
  },
  {
    chapter: "Resources: Creatable-kind list item",
    says: "creatable is a boolean; kind, name, href are strings; description, help, Manual strings or null",
    holds: ({ value }) =>
      isObject(value) && "creatable" in value
        ? typeof value.creatable === "boolean" &&
          [value.kind, value.name, value.href].every((one) => typeof one === "string") &&
          [value.description, value.help, value.Manual].every((one) => one === null || typeof one === "string")
        : undefined,
  },
  {
    chapter: "Resources: Creatable-type list item",
    says: "fields ID, Name, and Description with sensors only, all strings",
    holds: ({ value }) =>
      isObject(value) && "ID" in value
        ? Object.entries(value).every(
            ([name, one]) => ["ID", "Name", "Description"].includes(name) && typeof one === "string",
          )
        : undefined,
  },
  {
    chapter: "Other response shapes",
    says: "feature toggles: the allowed value",
    holds: ({ where, value }) =>
      where.startsWith("/experimental/feature-toggles[") ? value === "EFeatureToggleSettingsV2" : undefined,
  },
];

function seriesOf({ where, name, value }: Found): readonly unknown[][] | undefined {
  const isWhole = where.startsWith("/experimental/timeseries/") && name === "" && !where.endsWith("]");
  return isWhole ? (value as unknown[][]) : undefined;
}

const TIME_SERIES: readonly Assertion[] = [
  {
    chapter: "Resources: Time series row",
    says: "the header is the literal time and channel IDs of the form <sensor_id>.<channel_id>",
    holds: (found) => {
      const [head] = seriesOf(found) ?? [];
      return head && head[0] === "time" && head.slice(1).every((id) => /^\d+\.-?\d+$/.test(String(id)));
    },
  },
  {
    chapter: "Resources: Time series row",
    says: "a row has an RFC 3339 timestamp and one measurement per channel, or only its timestamp",
    holds: (found) => {
      const [head = [], ...rows] = seriesOf(found) ?? [];
      if (rows.length === 0) return undefined;
      return rows.every(
        ([time, ...cells]) =>
          /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(String(time)) &&
          [0, head.length - 1].includes(cells.length) &&
          cells.every((cell) => typeof cell === "number"),
      );
    },
  },
  {
    chapter: "Resources: Time series row",
    says: "start and end of a gap are each a row with only a timestamp: no more than two follow each other",
    holds: (found) => {
      const marks = seriesOf(found)?.map((row) => row.length === 1);
      return marks && !marks.some((mark, index) => mark && marks[index + 1] === true && marks[index + 2] === true);
    },
  },
];

export const ASSERTIONS: readonly Assertion[] = [...RESOURCES, ...TREE_NODES, ...OTHER_SHAPES, ...TIME_SERIES];

export interface Verdict {
  tried: number;
  readonly wrong: string[];
}

/** One walk for all assertions: an answer has thousands of values. */
export function judge(answers: readonly Answer[]): ReadonlyMap<Assertion, Verdict> {
  const verdicts = new Map(ASSERTIONS.map((assertion): [Assertion, Verdict] => [assertion, { tried: 0, wrong: [] }]));
  for (const answer of answers) {
    visitValues(answer, (found) => {
      for (const [{ holds }, verdict] of verdicts) {
        const isRight = holds(found);
        if (isRight === undefined) continue;
        verdict.tried++;
        if (!isRight) verdict.wrong.push(`${found.where}: ${JSON.stringify(found.value).slice(0, 200)}`);
      }
    });
  }
  return verdicts;
}
