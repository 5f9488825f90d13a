/** The variables of a process, as in `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** What became of a scalar in which `${...}` may occur. */
export type Interpolation =
  | {
      readonly kind: "text";
      readonly text: string;
      /** Names of the variables that occur in the scalar, set or not. */
      readonly variables: readonly string[];
      /** True when the scalar is one reference without a default and nothing else. */
      readonly wholly: boolean;
    }
  | { readonly kind: "unset"; readonly variables: readonly string[] }
  | { readonly kind: "malformed" };

/** `$$`, `${NAME}`, `${NAME:-default}`, or the beginning of a reference that is none of these. */
const REFERENCE = /\$\$|\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}|\$\{/g;

/**
 * Puts the values of environment variables into one scalar. As in a shell, the default stands in for a variable that
 * is unset or empty. Other dollars, as at the end of a regular expression, stay.
 */
export function interpolate(scalar: string, env: Environment): Interpolation {
  const variables: string[] = [];
  const unset: string[] = [];
  let malformed = false;
  let wholly = false;
  const text = scalar.replaceAll(REFERENCE, (match: string, name: string | undefined, fallback: string | undefined) => {
    if (match === "$$") return "$";
    if (name === undefined || fallback?.includes("${")) {
      malformed = true;
      return match;
    }
    variables.push(name);
    wholly = match === scalar && fallback === undefined;
    const value = Object.hasOwn(env, name) ? env[name] : undefined;
    if (fallback !== undefined) return value === undefined || value === "" ? fallback : value;
    if (value === undefined) unset.push(name);
    return value ?? "";
  });
  if (malformed) return { kind: "malformed" };
  if (unset.length > 0) return { kind: "unset", variables: unset };
  return { kind: "text", text, variables, wholly };
}
