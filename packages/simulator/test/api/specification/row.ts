import { expect } from "vitest";
import type { OperationId } from "../../../src/api/contract/types.ts";
import type { ErrorCode } from "../../../src/api-errors.ts";
import type { ReleaseName, SpellingName } from "../../../src/release/release.ts";
import type { SimStatus } from "../../../src/world/model.ts";
import type { Running } from "./running.ts";

/** One rule of the specification at one endpoint, and a request that shows it. */
export interface Row {
  /** `none` for requests that no operation of the contract is for; `method` is to be given then. */
  readonly operation: OperationId | "none";
  readonly method?: string;
  /** In short words, as the specification has it. */
  readonly rule: string;
  /** What happens before the request. */
  readonly before?: readonly Step[];
  /** A fault that hits the request. */
  readonly fault?: string;
  /** Below `/api/v2`. */
  readonly path: Lazy<string>;
  /** Sent as JSON; text and bytes are sent as they are. */
  readonly body?: unknown;
  /** Instead of the system administrator's key; null for none. A function finds it when it is needed. */
  readonly bearer?: Lazy<string | null>;
  /** The whole header, in place of `bearer`. */
  readonly authorization?: string;
  readonly answers: Answer;
  /** What the body must match. */
  readonly shows?: unknown;
  /** Null: there is no such header. */
  readonly headers?: Readonly<Record<string, string | RegExp | null>>;
  /** What must be so afterwards. */
  readonly after?: readonly Step[];
  /** More objects than fit a page. */
  readonly large?: true;
  /** That of the specification by default. */
  readonly spelling?: SpellingName;
  /** The newest by default. */
  readonly release?: ReleaseName;
}

export type Answer = 200 | 201 | 202 | 204 | `${number} ${ErrorCode}`;
export type Lazy<Value> = Value | ((it: Running) => Value);
export type Step = (it: Running) => unknown;

/** Evaluates what is only known while the service runs. */
export function known<Value>(value: Lazy<Value>, it: Running): Value {
  return typeof value === "function" ? (value as (it: Running) => Value)(it) : value;
}

/** Lets time pass. */
export function pass(ms: number): Step {
  return (it) => it.clock.advance(ms);
}

/** A sensor is in this status from now on. */
export function force(id: string, status: SimStatus): Step {
  return (it) => it.simulator.world.force(id, status, it.simulator.now());
}

/** Another request, which must succeed. */
export function does(method: string, path: Lazy<string>, body?: unknown): Step {
  return async (it) => {
    const target = known(path, it);
    it.earlier = await it.send(method, target, { body: known(body, it) });
    expect(it.earlier.status, `${method} ${target} ${it.earlier.text}`).toBeLessThan(300);
  };
}

/** What a GET request shows. */
export function sees(path: Lazy<string>, body: unknown): Step {
  return async (it) => {
    const { status, json, text } = await it.send("GET", known(path, it));
    expect(status, text).toBe(200);
    expect(json).toMatchObject(body as object);
  };
}

/** The status, and code, that a GET request is answered with. */
export function gets(path: Lazy<string>, answer: Answer, bearer?: Lazy<string>): Step {
  return async (it) => {
    const sent = bearer === undefined ? {} : { bearer: known(bearer, it) };
    expect(outcomeOf(await it.send("GET", known(path, it), sent))).toBe(answer);
  };
}

export function outcomeOf({ status, json }: { readonly status: number; readonly json: unknown }): Answer {
  const code = (json as { readonly code?: string } | undefined)?.code;
  return (status < 400 ? status : `${status} ${code}`) as Answer;
}

/** Where the answer says that the new object is, below `/api/v2`. */
export function newLocation({ received }: Running): string {
  return locationIn(received.headers);
}

/** The same of the step before. */
export function earlierLocation({ earlier }: Running): string {
  return locationIn(earlier.headers);
}

function locationIn(headers: Headers): string {
  return (headers.get("location") ?? "").replace("/api/v2", "");
}

/** A list of records with these ids, and no others. */
export function ids(...list: readonly string[]): readonly object[] {
  return list.map((id) => ({ id }));
}

/** A query with parameters, encoded. */
export function query(parameters: Readonly<Record<string, string>>): string {
  return `?${new URLSearchParams(parameters)}`;
}
