import type { World } from "../../world/model.ts";
import { type SpellingName, STATUS_TOKENS } from "../records/spelling.ts";
import { scanningInterval } from "../scanning-interval.ts";
import { idOf, isChannel, isDevice, kindOf, parentOf, parentTags, type Subject } from "../subject.ts";
import type { Operator } from "./syntax.ts";

/** What properties are read from. */
export interface Moment {
  readonly world: World;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

interface PropertyBase {
  readonly operators: readonly Operator[];
  /** Whether it may be absent, so that `nil` can ask for that. */
  readonly optional: boolean;
}

export interface TextProperty extends PropertyBase {
  readonly type: "text";
  /** Undefined where absent, as for all kinds of properties. */
  read(subject: Subject, moment: Moment): string | undefined;
}

export interface EnumerationProperty extends PropertyBase {
  readonly type: "enumeration";
  /** From the tokens a filter may use, in lower case, to what `read` gives. */
  readonly tokens: ReadonlyMap<string, string>;
  read(subject: Subject, moment: Moment): string | undefined;
}

export interface BooleanProperty extends PropertyBase {
  readonly type: "boolean";
  read(subject: Subject, moment: Moment): boolean | undefined;
}

export interface DurationProperty extends PropertyBase {
  readonly type: "duration";
  /** Seconds. */
  read(subject: Subject, moment: Moment): number | undefined;
}

export interface TextListProperty extends PropertyBase {
  readonly type: "texts";
  read(subject: Subject, moment: Moment): readonly string[] | undefined;
}

export type Property = TextProperty | EnumerationProperty | BooleanProperty | DurationProperty | TextListProperty;

const OBJECT_TYPES = ["channel", "device", "group", "library", "probe", "sensor", "user", "usergroup"];

const EQUALITY: readonly Operator[] = ["=", "!="];

/** "Properties (current set)" of the specification, section Filters. */
const SPECIFIED: ReadonlyMap<string, Property> = new Map<string, Property>([
  ["basic.host", { type: "text", operators: [...EQUALITY, "in"], optional: true, read: hostOf }],
  [
    "basic.hostv6",
    {
      type: "text",
      operators: [...EQUALITY, "in"],
      optional: true,
      read: (s) => (hostOf(s) === undefined ? undefined : ""),
    },
  ],
  ["id", { type: "text", operators: EQUALITY, optional: false, read: idOf }],
  ["kind", { type: "text", operators: EQUALITY, optional: false, read: (s) => (isChannel(s) ? "channel" : s.type) }],
  ["name", { type: "text", operators: [...EQUALITY, "in"], optional: false, read: (s) => s.name }],
  ["parentid", { type: "text", operators: EQUALITY, optional: true, read: (s) => parentOf(s)?.id }],
  ["basic.parenttags", { type: "texts", operators: ["contains"], optional: true, read: parentTags }],
  [
    "basic.tags",
    { type: "texts", operators: ["contains"], optional: true, read: (s) => (isChannel(s) ? undefined : s.tags) },
  ],
  [
    "status",
    {
      type: "enumeration",
      operators: EQUALITY,
      optional: true,
      tokens: new Map(STATUS_TOKENS.map((token) => [token, token])),
      // No status on channels was seen anywhere; it is the sensor's.
      read: (s, { world, now }) => (isChannel(s) ? undefined : world.state(s, now).status),
    },
  ],
  [
    "type",
    {
      type: "enumeration",
      operators: EQUALITY,
      optional: false,
      tokens: new Map(OBJECT_TYPES.map((token) => [token, token])),
      read: kindOf,
    },
  ],
  [
    "favorite",
    {
      type: "boolean",
      operators: EQUALITY,
      optional: true,
      read: (s) => (isChannel(s) ? undefined : s.favorite),
    },
  ],
  [
    "primary",
    { type: "boolean", operators: EQUALITY, optional: true, read: (s) => (isChannel(s) ? s.primary : undefined) },
  ],
  // The simulated world runs no auto-discovery jobs.
  ["autodiscoveryjobgroup.discojobid", { type: "text", operators: EQUALITY, optional: true, read: () => undefined }],
  [
    "intervalgroup.interval",
    {
      type: "duration",
      operators: ["=", "!=", "<", "<=", ">", ">="],
      optional: true,
      read: (s) => (isChannel(s) ? undefined : scanningInterval(s).seconds),
    },
  ],
]);

/** Live servers take more than the specification allows: these were seen to work. */
const LIVE: ReadonlyMap<string, Property> = withMore(SPECIFIED);

export function filterProperties(spelling: SpellingName): ReadonlyMap<string, Property> {
  return spelling === "live" ? LIVE : SPECIFIED;
}

function withMore(specified: ReadonlyMap<string, Property>): ReadonlyMap<string, Property> {
  const live = new Map(specified);
  for (const name of ["parentid", "status"]) {
    const property = live.get(name);
    if (property !== undefined) live.set(name, { ...property, operators: [...property.operators, "in"] });
  }
  const status = live.get("status");
  if (status?.type === "enumeration") {
    live.set("status", { ...status, tokens: new Map(status.tokens).set("pausedbyuseruntil", "pauseduntil") });
  }
  return live;
}

function hostOf(subject: Subject): string | undefined {
  return !isChannel(subject) && isDevice(subject) ? subject.host : undefined;
}
