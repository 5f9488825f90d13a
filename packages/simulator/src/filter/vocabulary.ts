import { USER_TYPES } from "../auth/accounts.ts";
import { type SpellingName, STATUS_TOKENS } from "../records/spelling.ts";
import { LOOKUP_TYPES } from "../world/sensors/lookups.ts";
import type { Declaration, Properties, Property, PropertyType, Read } from "./property.ts";
import type { Operator } from "./syntax.ts";

const EQUALITY = ["=", "!="] as const satisfies readonly Operator[];
const COMPARISONS = ["=", "!=", "<", "<=", ">", ">="] as const satisfies readonly Operator[];

const OBJECT_TYPES = ["channel", "device", "group", "library", "probe", "sensor", "user", "usergroup"];
/** The tokens of four enumerations are not shown in the specification: these two are ours, as are the types of lookups and users. */
const PROBE_STATUSES = ["connected", "disconnected", "unapproved"];
const PROBE_STATUS_INFOS = ["none", "outdated", "updating"];

/** "Properties (current set)" of the specification, section Filters. */
const CURRENT = {
  "basic.host": text([...EQUALITY, "in"]),
  "basic.hostv6": text([...EQUALITY, "in"]),
  id: always({ ...text(EQUALITY), ids: true }),
  kind: always(text(EQUALITY)),
  name: always(text([...EQUALITY, "in"])),
  parentid: { ...text(EQUALITY), ids: true },
  "basic.parenttags": texts(["contains"]),
  "basic.tags": texts(["contains"]),
  status: enumeration(STATUS_TOKENS),
  type: always(enumeration(OBJECT_TYPES)),
  favorite: boolean(),
  primary: boolean(),
  "autodiscoveryjobgroup.discojobid": text(EQUALITY),
  "intervalgroup.interval": duration(),
};

/** "Properties of the earlier property set (internal names; operators as stated)". */
const EARLIER = {
  active: boolean(),
  activedirectory: boolean(),
  admingroup: boolean(),
  authorized: boolean(),
  autodiscoveryactive: boolean(),
  clusterprobe: boolean(),
  clusterremoteprobe: boolean(),
  restrictedsensormode: boolean(),
  smallprobe: boolean(),
  ticketmail: boolean(),
  ticketmode: boolean(),
  autodiscoveryprogress: number(COMPARISONS),
  coverage: number(COMPARISONS),
  limitmaxerror: number(COMPARISONS),
  limitmaxwarning: number(COMPARISONS),
  limitminerror: number(COMPARISONS),
  limitminwarning: number(COMPARISONS),
  percent: number(COMPARISONS),
  performanceimpact: number(COMPARISONS),
  priority: number(COMPARISONS),
  downtimetotal: duration(),
  uptimetotal: duration(),
  scanninginterval: duration(),
  comment: text([...EQUALITY, "matches"]),
  location: text([...EQUALITY, "matches"]),
  message: text([...EQUALITY, "matches"]),
  dnsname: text([...EQUALITY, "matches"]),
  email: text([...EQUALITY, "matches"]),
  loginname: text([...EQUALITY, "matches"]),
  lookupdefinitionid: text([...EQUALITY, "matches"]),
  sensorkindname: text([...EQUALITY, "matches"]),
  primarygroup: text(EQUALITY),
  ancestors: texts(["contains"]),
  descendants: texts(["contains"]),
  crossreference: texts(["contains"]),
  tags: texts(["contains"]),
  sensorkind: texts([...EQUALITY, "matches"]),
  lookuptype: enumeration(LOOKUP_TYPES),
  probestatus: enumeration(PROBE_STATUSES),
  probestatusinfo: enumeration(PROBE_STATUS_INFOS),
  usertype: enumeration(USER_TYPES),
  unittype: number(EQUALITY),
};

/** Every property that a filter or `sort_by` can name, in any list. */
export const VOCABULARY = { ...CURRENT, ...EARLIER };

export type PropertyName = keyof typeof VOCABULARY;

/** How the properties that a kind of records has are read. The others are known, too, but always absent. */
export type Readers<Item, Context> = {
  readonly [Name in PropertyName]?: Read<Item, Context, (typeof VOCABULARY)[Name]["type"]>;
};

/** The properties of one kind of records, for servers of either spelling. */
export type PropertyTable<Item, Context> = Readonly<Record<SpellingName, Properties<Item, Context>>>;

/**
 * The vocabulary for one kind of records: made once, at the start of the program.
 * `propertyTable<User, RecordMoment>({ id: (user) => user.id, name: (user) => user.name, email: (user) => user.email })`
 */
export function propertyTable<Item, Context>(readers: Readers<Item, Context>): PropertyTable<Item, Context> {
  return { specification: bind(VOCABULARY, readers), live: bind(liveVocabulary(), readers) };
}

function bind<Item, Context>(
  declarations: Readonly<Record<string, Declaration>>,
  readers: Readonly<Partial<Record<string, Read<Item, Context, PropertyType>>>>,
): Properties<Item, Context> {
  const properties = new Map<string, Property<Item, Context>>();
  for (const [name, declaration] of Object.entries(declarations)) {
    // `Readers` has made sure that what is read is of the declared type.
    properties.set(name, { ...declaration, read: readers[name] ?? absent } as Property<Item, Context>);
  }
  return properties;
}

function absent(): undefined {
  return undefined;
}

/** Live servers take more than the specification allows: these were seen to work. */
function liveVocabulary(): Readonly<Record<PropertyName, Declaration>> {
  const { name, parentid, status } = VOCABULARY;
  return {
    ...VOCABULARY,
    name: { ...name, operators: [...name.operators, "matches"] },
    parentid: { ...parentid, operators: [...parentid.operators, "in"] },
    status: {
      ...status,
      operators: [...status.operators, "in"],
      tokens: new Map(status.tokens).set("pausedbyuseruntil", "pauseduntil"),
    },
  };
}

function text(operators: readonly Operator[]): Declaration<"text"> {
  return { type: "text", operators, optional: true };
}

function texts(operators: readonly Operator[]): Declaration<"texts"> {
  return { type: "texts", operators, optional: true };
}

function boolean(): Declaration<"boolean"> {
  return { type: "boolean", operators: EQUALITY, optional: true };
}

function number(operators: readonly Operator[]): Declaration<"number"> {
  return { type: "number", operators, optional: true };
}

function duration(): Declaration<"duration"> {
  return { type: "duration", operators: COMPARISONS, optional: true };
}

function enumeration(tokens: readonly string[]): Declaration<"enumeration"> {
  const known = new Map(tokens.map((token) => [token, token]));
  return { type: "enumeration", operators: EQUALITY, optional: true, tokens: known };
}

function always<Type extends PropertyType>(declaration: Declaration<Type>): Declaration<Type> {
  return { ...declaration, optional: false };
}
