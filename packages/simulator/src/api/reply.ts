import type { PageRequest } from "./paging.ts";

/** What an endpoint answers. Bodies are JSON already. */
export type Reply = EmptyReply | JsonReply | ListReply;

export interface EmptyReply {
  readonly kind: "nothing";
  /** 202: not ready yet, `Wait-For` says how long to wait. */
  readonly status: 202 | 204;
  readonly headers: ReplyHeaders;
}

export interface JsonReply {
  readonly kind: "object";
  readonly json: string;
  readonly status: 200 | 201 | 202;
  readonly headers: ReplyHeaders;
}

/** Such as `Location` and `Wait-For`. */
export type ReplyHeaders = Readonly<Record<string, string>>;

/** The JSON of the item at an index of the page. */
export type RenderItem = (index: number) => string;

export interface ListReply {
  readonly kind: "list";
  /** Items of this page. */
  readonly length: number;
  readonly render: RenderItem;
  readonly page: PageRequest;
  /** Items of the whole list, by which the links to other pages go. */
  readonly total: number;
  /** What `X-Total-Count` says, where that is not `total`; Infinity leaves it out. */
  readonly statedTotal?: number;
}

/** A complete HTTP answer, before a fault breaks its delivery. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined where the status allows none. */
  readonly body: Buffer | undefined;
}

/** Done; 204 without a body. */
export const NO_CONTENT: EmptyReply = { kind: "nothing", status: 204, headers: {} };

/** 204 by default. */
export function emptyReply({ status = 204, headers = {} }: Partial<Omit<EmptyReply, "kind">> = {}): EmptyReply {
  return { kind: "nothing", status, headers };
}

/** 200 by default. */
export function jsonReply(
  json: string,
  { status = 200, headers = {} }: Partial<Omit<JsonReply, "kind" | "json">> = {},
): JsonReply {
  return { kind: "object", json, status, headers };
}
