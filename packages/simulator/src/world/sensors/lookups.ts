import { z } from "zod";
import data from "../../../data/lookups.json" with { type: "json" };

/** Our reading: the types are not listed in the specification. */
export const LOOKUP_TYPES = ["single", "range", "bitfield", "boolean"] as const;

const schema = z.strictObject({
  id: z.string(),
  name: z.string(),
  type: z.enum(LOOKUP_TYPES),
  /** The value that a graph draws at the top. */
  desiredValue: z.number(),
  /** Which channels it is for: a kind of sensors, or `*` for those without one of their own, and a pattern of their names. */
  channels: z.strictObject({ kind: z.string(), name: z.string().transform((pattern) => new RegExp(pattern)) }),
  /** By ascending value. */
  entries: z.array(
    z.strictObject({
      /** The value, or the first of a range. */
      value: z.number(),
      /** The last value of a range. */
      to: z.number().exactOptional(),
      text: z.string(),
      /** What the value does to its channel. */
      state: z.enum(["ok", "warning", "error", "none"]),
    }),
  ),
});

/** Texts and states for the values of channels that are codes. */
export type Lookup = Readonly<z.infer<typeof schema>>;
export type LookupType = Lookup["type"];
export type LookupEntry = Readonly<Lookup["entries"][number]>;
export type LookupState = LookupEntry["state"];

/** Every channel of the simulated world that shows codes has one of these; other worlds may have more. */
export const LOOKUPS: readonly Lookup[] = z.array(schema).parse(data);

const LOOKUP_UNIT = "VALUE_LOOKUP";

/** What tells which lookup a channel has: not its name, which people change. */
export interface ChannelKind {
  /** Of the sensor. */
  readonly kind: string;
  /** That a new channel of the kind is given. */
  readonly name: string;
  readonly unitType: string;
}

/** The lookup of channels that show codes; undefined for all others. */
export function lookupFor({ kind, name, unitType }: ChannelKind): Lookup | undefined {
  if (unitType !== LOOKUP_UNIT) return undefined;
  const ofKind = (one: string) => LOOKUPS.find(({ channels }) => channels.kind === one && channels.name.test(name));
  return ofKind(kind) ?? ofKind("*");
}

/** The lookup of a channel. */
export function lookupOf({ lookupId }: { readonly lookupId?: string | undefined }): Lookup | undefined {
  return lookupId === undefined ? undefined : lookupById(lookupId);
}

export function lookupById(id: string): Lookup | undefined {
  return LOOKUPS.find((lookup) => lookup.id === id);
}

/** Text and state of a value; undefined for one that the lookup does not have. */
export function entryOf({ type, entries }: Lookup, value: number): LookupEntry | undefined {
  if (type === "range") return entries.find((entry) => value >= entry.value && value <= (entry.to ?? entry.value));
  return entries.find((entry) => entry.value === value);
}
