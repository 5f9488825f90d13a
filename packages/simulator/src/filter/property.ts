import type { Operator } from "./syntax.ts";

/** The values of a property that is a list, or something that knows what is in one without making it. */
export type TextList = Pick<readonly string[], "includes">;

/** The types of properties, and what values of them are here. */
export interface ValueOf {
  readonly text: string;
  readonly enumeration: string;
  readonly boolean: boolean;
  readonly number: number;
  /** Seconds. */
  readonly duration: number;
  readonly texts: TextList;
}

export type PropertyType = keyof ValueOf;

/** What the specification says of a property, whatever record it is asked of. */
export interface Declaration<Type extends PropertyType = PropertyType> {
  readonly type: Type;
  readonly operators: readonly Operator[];
  /** Whether it may be absent, so that `nil` can ask for that. */
  readonly optional: boolean;
  /** Of an enumeration: from what a filter may say, in lower case, to the value. The order is the one to sort by. */
  readonly tokens?: ReadonlyMap<string, string>;
  /** Texts that are sorted as the numbers they are made of. */
  readonly ids?: boolean;
}

/** Undefined where it is absent; the same all through one request, whose time and world are in `Context`. */
export type Read<Item, Context, Type extends PropertyType> = (
  item: Item,
  context: Context,
) => ValueOf[Type] | undefined;

/** A property of the records of a list. */
export type Property<Item, Context> = {
  [Type in PropertyType]: Declaration<Type> & { readonly read: Read<Item, Context, Type> };
}[PropertyType];

export type Properties<Item, Context> = ReadonlyMap<string, Property<Item, Context>>;
