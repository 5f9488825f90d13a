import createRouter from "find-my-way";
import { ROOT } from "./document.ts";

export const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;
export type Method = (typeof METHODS)[number];

export interface Route {
  readonly method: Method;
  /** Below `/api/v2`, placeholders in braces: `/sensors/{id}`. */
  readonly path: string;
  /** What the value at the end of the path is when it is left out; undefined where it must not be. */
  readonly lastDefault: string | undefined;
}

export interface RouteMatch<Found extends Route> {
  readonly route: Found;
  /** Values of the placeholders, decoded. */
  readonly params: Readonly<Record<string, string>>;
}

export type FindRoute<Found extends Route> = (method: string, path: string) => RouteMatch<Found> | undefined;

/** Nothing in a request line is longer. */
const MAX_VALUE_LENGTH = 64 * 1024;

/**
 * Makes the paths of the contract searchable. The router of the library that validates takes a millisecond for one path among
 * 130, which is what a small answer takes altogether. Paths are matched exactly: upper and lower case count, and a slash at
 * the end is one too many.
 */
export function buildPaths<Found extends Route>(routes: readonly Found[]): FindRoute<Found> {
  const router = createRouter({ caseSensitive: true, maxParamLength: MAX_VALUE_LENGTH });
  const literals = new Set(routes.map(({ path }) => `${ROOT}${path}`));
  for (const route of routes) {
    router.on(route.method, `${ROOT}${route.path.replace(/\{(\w+)\}/g, ":$1")}`, () => route);
  }
  return (method, path) => {
    const known = METHODS.find((name) => name === method);
    const found = known === undefined ? null : router.find(known, path);
    if (found === null) return undefined;
    const route = routeOf<Found>(found.handler);
    // "Concrete paths are matched before their templated counterparts", also where they lack the method.
    if (route.path.includes("{") && literals.has(path)) return undefined;
    const params = valuesOf(found.params, path.endsWith("/") ? route.lastDefault : undefined);
    return params === undefined ? undefined : { route, params };
  };
}

/** The router hands back what was registered; ours only names the route. */
function routeOf<Found extends Route>(handler: (...args: never[]) => unknown): Found {
  return (handler as () => Found)();
}

/** Undefined where a value is missing. */
function valuesOf(
  found: Readonly<Record<string, string | undefined>>,
  lastDefault: string | undefined,
): Readonly<Record<string, string>> | undefined {
  const values = Object.entries(found);
  const params: Record<string, string> = {};
  for (const [index, [name, value = ""]] of values.entries()) {
    const isLast = index === values.length - 1;
    const chosen = value === "" && isLast ? lastDefault : value;
    if (chosen === undefined || chosen === "") return undefined;
    params[name] = chosen;
  }
  return params;
}
