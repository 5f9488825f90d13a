import { quote } from "../lib/printable-text.ts";
import type { ConfigProblem } from "./config-error.ts";

/** Keys and indices from the root. */
export type KeyPath = readonly PropertyKey[];

export type Place = Pick<ConfigProblem, "location" | "line" | "column" | "key">;

export interface Reference {
  readonly variables: readonly string[];
  /** Exactly one reference without a default. */
  readonly wholly: boolean;
}

/** The source of each value: a file or the environment. */
export interface Origin {
  /** A missing key has the place of the map around it. */
  place(path: KeyPath, part: "key" | "value"): Place;
  /** The reference in the scalar at `path`, if any. */
  reference(path: KeyPath): Reference | undefined;
  /** Spelling of a number, boolean or null. `undefined` for texts and missing values. */
  source(path: KeyPath): string | undefined;
}

/** Stands for a scalar whose problem is already reported. */
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

export function valueAt(root: unknown, path: KeyPath): unknown {
  return path.reduce<unknown>(
    (value, key) => (typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined),
    root,
  );
}
