import type { KeyPath, Origin, Place, Reference } from "./origin.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** Result for a scalar that may contain `${...}`. */
export type Interpolation =
  | {
      readonly kind: "text";
      readonly text: string;
      readonly variables: readonly string[];
      /** Exactly one reference without a default. */
      readonly wholly: boolean;
    }
  | { readonly kind: "unset"; readonly variables: readonly string[] }
  | { readonly kind: "malformed" };

/** `$$`, `${NAME}`, `${NAME:-default}`, or the start of an invalid reference. */
const REFERENCE = /\$\$|\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-((?:[^}$]|\$(?!\{))*))?\}|\$\{/g;

/** As in a shell, the default replaces an unset or empty variable. Other dollars stay, for regular expressions. */
export function interpolate(scalar: string, env: Environment): Interpolation {
  const variables: string[] = [];
  const unset: string[] = [];
  let malformed = false;
  let wholly = false;
  const text = scalar.replaceAll(REFERENCE, (match: string, name: string | undefined, fallback: string | undefined) => {
    if (match === "$$") return "$";
    if (name === undefined) {
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

/** Sets a key of the only server if there is no file. */
export interface ServerVariable {
  readonly name: string;
  /** Below `servers[0]`. */
  readonly path: readonly string[];
  /** Commas separate items. */
  readonly isList?: true;
}

export const FINGERPRINTS_VARIABLE = "PRTG_FINGERPRINTS";

/** An empty variable is unset. */
export const SERVER_VARIABLES: readonly ServerVariable[] = [
  { name: "PRTG_URL", path: ["url"] },
  { name: "PRTG_NAME", path: ["name"] },
  { name: "PRTG_API_KEY_FILE", path: ["auth", "api_key_file"] },
  { name: "PRTG_API_KEY", path: ["auth", "api_key"] },
  { name: "PRTG_USERNAME", path: ["auth", "username"] },
  { name: "PRTG_PASSWORD_FILE", path: ["auth", "password_file"] },
  { name: "PRTG_PASSWORD", path: ["auth", "password"] },
  { name: "PRTG_CA_FILE", path: ["tls", "ca_file"] },
  { name: "PRTG_SERVER_NAME", path: ["tls", "server_name"] },
  { name: FINGERPRINTS_VARIABLE, path: ["tls", "fingerprints"], isList: true },
  { name: "PRTG_PROXY_URL", path: ["proxy_url"] },
  { name: "PRTG_PROXY_USERNAME", path: ["proxy_auth", "username"] },
  { name: "PRTG_PROXY_PASSWORD_FILE", path: ["proxy_auth", "password_file"] },
  { name: "PRTG_PROXY_PASSWORD", path: ["proxy_auth", "password"] },
  { name: "PRTG_PROXY_CA_FILE", path: ["proxy_ca_file"] },
  { name: "PRTG_INSECURE_SKIP_VERIFY", path: ["tls", "insecure_skip_verify"] },
];

/** As an item of `servers`. */
export class EnvironmentServer implements Origin {
  readonly value: Readonly<Record<string, unknown>>;
  readonly variables: readonly string[];

  constructor(env: Environment) {
    const sections: Record<string, Record<string, unknown>> = { auth: {}, tls: {} };
    const server: Record<string, unknown> = sections;
    const set = SERVER_VARIABLES.filter(({ name }) => variable(env, name) !== "");
    for (const { name, path, isList } of set) {
      const [first = "", second] = path;
      if (second !== undefined) sections[first] ??= {};
      const target = second === undefined ? server : (sections[first] ?? {});
      const value = variable(env, name);
      target[second ?? first] = isList ? value.split(",").map((item) => item.trim()) : value;
    }
    this.value = server;
    this.variables = set.map(({ name }) => name);
  }

  place(path: KeyPath): Place {
    const names = SERVER_VARIABLES.filter((variable) => isBelow(variable, path)).map(({ name }) => name);
    const [first] = names;
    if (first === undefined) return { location: "environment", key: "" };
    return { location: `environment variable${names.length === 1 ? "" : "s"} ${names.join(", ")}`, key: "" };
  }

  reference(path: KeyPath): Reference | undefined {
    const variable = SERVER_VARIABLES.find((each) => each.path.length + 2 <= path.length && isBelow(each, path));
    return variable === undefined ? undefined : { variables: [variable.name], wholly: true };
  }

  source(): undefined {
    return undefined;
  }
}

function variable(env: Environment, name: string): string {
  return env[name] ?? "";
}

/** The variable sets the key at `path` (`servers`, 0, ...), a key below it, or an item of it. */
function isBelow({ path }: ServerVariable, [, , ...below]: KeyPath): boolean {
  return below.every((key, index) => path[index] === key || (index === path.length && typeof key === "number"));
}
