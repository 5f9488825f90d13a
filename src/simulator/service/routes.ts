import createRouter from "find-my-way";
import type { Endpoint } from "./endpoint.ts";

export const ROOT = "/api/v2";

export interface Match {
  readonly endpoint: Endpoint;
  readonly params: Readonly<Record<string, string | undefined>>;
}

export interface Routes {
  match(method: string, path: string): Match | undefined;
  /** Methods that exist for the path. */
  methodsOf(path: string): readonly string[];
}

/** Makes the table of endpoints searchable. Paths are matched exactly: no trailing slash, upper and lower case count. */
export function buildRoutes(endpoints: readonly Endpoint[]): Routes {
  const router = createRouter({ caseSensitive: true });
  const methods = [...new Set(endpoints.map(({ method }) => method))];
  for (const endpoint of endpoints) {
    const pattern = `${ROOT}${endpoint.path}`.replace(/\{(\w+)\}/g, ":$1");
    router.on(endpoint.method, pattern, () => endpoint);
  }
  const match = (method: string, path: string): Match | undefined => {
    const known = methods.find((name) => name === method);
    const found = known === undefined ? null : router.find(known, path);
    const endpoint = found === null ? undefined : endpointOf(found.handler);
    return endpoint === undefined ? undefined : { endpoint, params: found?.params ?? {} };
  };
  return { match, methodsOf: (path) => methods.filter((method) => match(method, path) !== undefined) };
}

/** The router hands back what was registered; ours only names the endpoint. */
function endpointOf(handler: (...args: never[]) => unknown): Endpoint {
  return (handler as () => Endpoint)();
}
