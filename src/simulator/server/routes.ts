import type { Contract, Operation } from "../api/contract/contract.ts";
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
}

/** Joins the operations of the contract with what handles them. Throws for handlers that no operation asks for. */
export function buildRoutes(contract: Contract, endpoints: readonly Endpoint[]): Routes {
  const operations = new Map(contract.operations.map((operation) => [operation.id, operation]));
  const handlers = new Map<string, Endpoint>();
  for (const endpoint of endpoints) {
    const { operation, access } = endpoint;
    const known = operations.get(operation);
    if (known === undefined) throw new Error(`The contract has no operation ${operation}`);
    if (handlers.has(operation)) throw new Error(`The operation ${operation} has two handlers`);
    if ((access === "public") !== (known.accessLevel === undefined)) {
      throw new Error(`The contract and the handler of ${operation} differ in whether a user is needed`);
    }
    handlers.set(operation, endpoint);
  }
  return {
    contract,
    match(method, path) {
      const found = contract.match(method, path);
      return found === undefined ? undefined : { ...found, endpoint: handlers.get(found.operation.id) };
    },
  };
}
