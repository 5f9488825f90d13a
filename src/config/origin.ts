import { quote } from "../lib/printable-text.ts";
import type { ConfigProblem } from "./config-error.ts";

/** Keys and indices from the root of the configuration. */
export type KeyPath = readonly PropertyKey[];

/** Where a problem is, as the parts of a `ConfigProblem`. */
export type Place = Pick<ConfigProblem, "location" | "line" | "column" | "key">;

/** A scalar whose value came from environment variables. */
export interface Reference {
  readonly variables: readonly string[];
  /** True when the scalar is one reference without a default and nothing else. */
  readonly wholly: boolean;
}

/** Knows where each value of a configuration came from: the file, or the environment. */
export interface Origin {
  /** The place of a key or of its value; for what is missing, of the map that lacks it. */
  place(path: KeyPath, part: "key" | "value"): Place;
  /** The references in the scalar at `path`; undefined where there are none. */
  reference(path: KeyPath): Reference | undefined;
  /** The characters of a number, boolean or null as the file has them; undefined for texts and for what is missing. */
  source(path: KeyPath): string | undefined;
}

/** Stands for a scalar that has been complained about already. */
export const UNRESOLVED = Symbol("unresolved");

/** `servers[0].limits.timeout` */
export function formatKey(path: KeyPath): string {
  return path.reduce<string>((text, key) => {
    if (typeof key === "number") return `${text}[${key}]`;
    const name = String(key);
    if (!/^[\w-]+$/.test(name)) return `${text}[${quote(name)}]`;
    return text === "" ? name : `${text}.${name}`;
  }, "");
}

/** What stands at `path` in a value; undefined where there is nothing. */
export function valueAt(root: unknown, path: KeyPath): unknown {
  return path.reduce<unknown>(
    (value, key) => (typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined),
    root,
  );
}
