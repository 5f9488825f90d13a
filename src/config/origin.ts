import { quote } from "../lib/printable-text.ts";
import type { ConfigProblem } from "./config-error.ts";

/** Keys and indices from the root. */
export type KeyPath = readonly PropertyKey[];

/** Of a problem. */
export type Place = Pick<ConfigProblem, "location" | "line" | "column" | "key">;

/** A scalar from environment variables. */
export interface Reference {
  readonly variables: readonly string[];
  /** One reference without a default, and nothing else. */
  readonly wholly: boolean;
}

/** Where each value came from: the file, or the environment. */
export interface Origin {
  /** Of a key or its value; for a missing one, of the map around it. */
  place(path: KeyPath, part: "key" | "value"): Place;
  /** In the scalar at `path`; undefined for none. */
  reference(path: KeyPath): Reference | undefined;
  /** A number, boolean or null as the file spells it; undefined for texts and missing values. */
  source(path: KeyPath): string | undefined;
}

/** A scalar with a problem of its own. */
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

/** Undefined where nothing is. */
export function valueAt(root: unknown, path: KeyPath): unknown {
  return path.reduce<unknown>(
    (value, key) => (typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined),
    root,
  );
}
