import type { VisibleWorld } from "./access.ts";
import type { Authentication, Principal } from "./auth.ts";
import type { ListMove } from "./faults.ts";
import type { PageRequest } from "./paging.ts";
import type { Rendering } from "./records/rendering.ts";

/** What an endpoint answers. Bodies are JSON already. */
export type Reply = { readonly kind: "nothing" } | { readonly kind: "object"; readonly json: string } | ListReply;

export interface ListReply {
  readonly kind: "list";
  /** Items of this page, and the JSON of each. */
  readonly length: number;
  readonly render: (index: number) => string;
  readonly page: PageRequest;
  /** Items of the whole list. */
  readonly total: number;
}

export const NOTHING: Reply = { kind: "nothing" };

export function object(json: string): Reply {
  return { kind: "object", json };
}

/** A request to an endpoint that needs no user. */
export interface PublicCall {
  readonly auth: Authentication;
  /** Simulated time, milliseconds since the epoch: one request sees one moment. */
  readonly now: number;
  readonly rendering: Rendering;
  /** Values of the placeholders of the path. */
  readonly params: Readonly<Record<string, string | undefined>>;
  readonly query: URLSearchParams;
  /** The body, parsed. Rejects with RequestRefused when it is too large or no JSON. */
  readBody(): Promise<unknown>;
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

export type Maturity = "stable" | "experimental" | "deprecated";

interface EndpointBase {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Below `/api/v2`, placeholders in braces: `/sensors/{id}`. */
  readonly path: string;
  readonly maturity: Maturity;
}

export interface PublicEndpoint extends EndpointBase {
  readonly access: "public";
  readonly paged: false;
  readonly handle: (call: PublicCall) => Reply | Promise<Reply>;
}

export interface ProtectedEndpoint extends EndpointBase {
  readonly access: "bearer";
  /** Whether it takes `offset` and `limit`. */
  readonly paged: boolean;
  readonly handle: (call: Call) => Reply | Promise<Reply>;
}

export type Endpoint = PublicEndpoint | ProtectedEndpoint;
