import type { Authentication, Principal } from "../auth/authentication.ts";
import type { VisibleWorld } from "../auth/visibility.ts";
import type { Installation } from "../installation/installation.ts";
import type { Rendering } from "../records/rendering.ts";
import type { OperationId } from "./contract/types.ts";
import type { ListMove } from "./paging.ts";
import type { Reply } from "./reply.ts";

/** A request to an endpoint that needs no user. */
export interface PublicCall {
  readonly requestId: string;
  readonly auth: Authentication;
  readonly installation: Installation;
  /** Simulated time, milliseconds since the epoch: one request sees one point in time. */
  readonly now: number;
  readonly rendering: Rendering;
  /** Values of the placeholders of the path. */
  readonly params: Readonly<Record<string, string | undefined>>;
  readonly query: URLSearchParams;
  /** Fits the contract's schema, whose generated type `Body` is to be; undefined where there is none. */
  readBody<Body = unknown>(): Promise<Body>;
}

/** A request of a user. */
export interface Call extends PublicCall {
  readonly principal: Principal;
  readonly visible: VisibleWorld;
  /** What an omitted `limit` means. */
  readonly defaultLimit: number;
  /** How a fault has moved the list. */
  readonly moved: ListMove;
}

/** Handles an operation that needs no user. */
export interface PublicEndpoint {
  /** `operationId` in the contract, which knows method, path and parameters. */
  readonly operation: OperationId;
  readonly access: "public";
  readonly handle: (call: PublicCall) => Reply | Promise<Reply>;
}

/** Handles an operation of a user; whether the user has the access level for it is known by then. */
export interface ProtectedEndpoint {
  readonly operation: OperationId;
  readonly access: "bearer";
  readonly handle: (call: Call) => Reply | Promise<Reply>;
}

export type Endpoint = PublicEndpoint | ProtectedEndpoint;
