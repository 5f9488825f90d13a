import { expect } from "vitest";
import type { OperationId } from "../../../src/api/contract/types.ts";
import type { ErrorCode } from "../../../src/api-errors.ts";
import type { ReleaseName, SpellingName } from "../../../src/release/release.ts";
import type { SimStatus } from "../../../src/world/model.ts";
import type { Running } from "./running.ts";

/** One rule at one endpoint, with a request that shows it. */
export interface Row {
  /** `none`: no contract operation. Requires `method`. */
  readonly operation: OperationId | "none";
  readonly method?: string;
  readonly rule: string;
  readonly before?: readonly Step[];
  readonly fault?: string;
  /** Below `/api/v2`. */
  readonly path: Lazy<string>;
  /** JSON, except text and bytes. */
  readonly body?: unknown;
  /** Default: the administrator's key. Null: none. */
  readonly bearer?: Lazy<string | null>;
  /** Full header instead of `bearer`. */
  readonly authorization?: string;
  readonly answers: Answer;
  readonly shows?: unknown;
  /** Null: the header is absent. */
  readonly headers?: Readonly<Record<string, string | RegExp | null>>;
  readonly after?: readonly Step[];
  /** More objects than fit on a page. */
  readonly large?: true;
  /** Default: the specification's. */
  readonly spelling?: SpellingName;
  /** Default: the newest. */
  readonly release?: ReleaseName;
}

type Shown = Pick<Row, "operation" | "rule" | "path" | "answers">;

/** Operation, rule, request and answer fit on one line. */
export function row(
  operation: Row["operation"],
  rule: string,
  path: Row["path"],
  answers: Answer,
  more: Omit<Row, keyof Shown> = {},
): Row {
  return { operation, rule, path, answers, ...more };
}

/** The list has exactly these objects in this order. `expected`: ids with spaces between. */
export function finds(
  operation: OperationId,
  list: string,
  parameters: Readonly<Record<string, string>>,
  expected: string,
  more: Omit<Row, keyof Shown | "shows"> = {},
): Row {
  const found = expected.split(" ").filter((id) => id !== "");
  const rule = `${JSON.stringify(parameters)} finds ${found.join(" ") || "nothing"}`;
  return row(operation, rule, `${list}${query(parameters)}`, 200, { shows: ids(...found), ...more });
}

export type Answer = 200 | 201 | 202 | 204 | `${number} ${ErrorCode}`;
export type Lazy<Value> = Value | ((it: Running) => Value);
export type Step = (it: Running) => unknown;

/** Resolves values that exist only at run time. */
export function known<Value>(value: Lazy<Value>, it: Running): Value {
  return typeof value === "function" ? (value as (it: Running) => Value)(it) : value;
}

export function pass(ms: number): Step {
  return (it) => it.clock.advance(ms);
}

export function force(id: string, status: SimStatus): Step {
  return (it) => it.simulator.world.force(id, status, it.simulator.now());
}

export function pause(id: string): Step {
  return ({ simulator: { world, now } }) => world.pause(id, now());
}

/** A probe loses its connection for good. */
export function disconnect(probeId: string): Step {
  const effect = { kind: "status", status: "disconnected", message: undefined } as const;
  const always = { lengthMs: Number.POSITIVE_INFINITY, everyMs: Number.POSITIVE_INFINITY, times: 1, effect };
  return ({ simulator: { world, now } }) => world.addIncident(probeId, { start: now(), ...always });
}

/** Sends a request that must succeed. */
export function does(method: string, path: Lazy<string>, body?: unknown): Step {
  return async (it) => {
    const target = known(path, it);
    it.earlier = await it.send(method, target, { body: known(body, it) });
    expect(it.earlier.status, `${method} ${target} ${it.earlier.text}`).toBeLessThan(300);
  };
}

export function sees(path: Lazy<string>, body: unknown): Step {
  return async (it) => {
    const { status, json, text } = await it.send("GET", known(path, it));
    expect(status, text).toBe(200);
    expect(json).toMatchObject(body as object);
  };
}

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

/** The row's answer equals another one. `of`: the part of the other answer. */
export function equals(path: Lazy<string>, of: (json: unknown) => unknown = (json) => json): Step {
  return async (it) => {
    const { json, text } = await it.send("GET", known(path, it));
    expect(it.received.json, text).toEqual(of(json));
  };
}

/** Location of the new object below `/api/v2`. */
export function newLocation({ received }: Running): string {
  return locationIn(received.headers);
}

export function earlierLocation({ earlier }: Running): string {
  return locationIn(earlier.headers);
}

function locationIn(headers: Headers): string {
  return (headers.get("location") ?? "").replace("/api/v2", "");
}

export function ids(...list: readonly string[]): readonly object[] {
  return list.map((id) => ({ id }));
}

export function query(parameters: Readonly<Record<string, string>>): string {
  return `?${new URLSearchParams(parameters)}`;
}
