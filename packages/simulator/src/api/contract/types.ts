import type { operations } from "./api-types.gen.ts";

/** Every operation of the contract. */
export type OperationId = keyof operations;

/** What an operation takes as its body. */
export type RequestBody<Id extends OperationId> = operations[Id] extends {
  requestBody: { content: { "application/json": infer Body } };
}
  ? Body
  : never;

/** For ids that are put together; `buildRoutes` refuses those that no operation has. */
export function operationId(text: string): OperationId {
  return text as OperationId;
}
