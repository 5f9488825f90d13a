import type { Contract, Operation } from "../api/contract/contract.ts";
import { METHODS, type Method } from "../api/contract/paths.ts";
import type { Endpoint } from "../api/endpoint.ts";

export interface Match {
  readonly operation: Operation;
  /** Undefined where no handler exists for the operation. */
  readonly endpoint: Endpoint | undefined;
  readonly params: Readonly<Record<string, string>>;
}

export interface Routes {
  readonly contract: Contract;
  match(method: string, path: string): Match | undefined;
  /** Methods that exist for the path. */
  methodsOf(path: string): readonly Method[];
}

/** `offers`: whether the release has an operation. Throws for handlers that no operation asks for. */
export function buildRoutes(
  contract: Contract,
  endpoints: readonly Endpoint[],
  offers: (operation: Operation) => boolean = () => true,
): Routes {
  const operations = new Map(contract.operations.map((operation) => [operation.id, operation]));
  const handlers = new Map<string, Endpoint>();
  for (const endpoint of endpoints) {
    const { operation, access } = endpoint;
    const known = operations.get(operation);
    if (known === undefined) throw new Error(`The contract has no operation ${operation}`);
    if (handlers.has(operation)) throw new Error(`The operation ${operation} has two handlers`);
    if ((access === "public") !== (known.accessLevel === undefined)) {
      throw new Error(`The contract and the handler of ${operation} disagree on whether a user is needed`);
    }
    handlers.set(operation, endpoint);
  }
  const offered = new Set(contract.operations.filter(offers).map(({ id }) => id));
  const match = (method: string, path: string): Match | undefined => {
    const found = contract.match(method, path);
    if (found === undefined || !offered.has(found.operation.id)) return undefined;
    return { ...found, endpoint: handlers.get(found.operation.id) };
  };
  return {
    contract,
    match,
    methodsOf: (path) => METHODS.filter((method) => match(method, path) !== undefined),
  };
}
