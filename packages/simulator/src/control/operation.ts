import type { z } from "zod";
import type { PasswordReset } from "../auth/passwords.ts";
import type { Faults } from "../faults/faults.ts";
import type { ScenarioRunner } from "../scenario/runner.ts";
import type { RequestLog } from "../server/request-log.ts";
import type { SimulatedTime } from "../simulated-time.ts";
import type { World } from "../world/model.ts";

/** What the control endpoint can read and change. */
export interface ControlParts {
  readonly world: World;
  readonly time: SimulatedTime;
  /** Simulated time after all due steps of scenarios were made; milliseconds since the epoch. */
  readonly now: () => number;
  readonly scenarios: ScenarioRunner;
  readonly faults: Faults;
  readonly requests: RequestLog;
  readonly dropSessions: () => void;
  /** Begins again as at the start. @throws ControlError if the world cannot be made again */
  readonly reset: () => Promise<void>;
  readonly passwordResets: () => readonly PasswordReset[];
  /** The contract of the release and the spelling that are played. */
  readonly contract: () => object;
  /** The same for generators of clients. */
  readonly generatorContract: () => object;
  /** Functions that end what `set` began, by the id of the sensor. */
  readonly settings: Map<string, (() => void)[]>;
}

export interface ControlCall extends ControlParts {
  /** The time of the request; simulated, milliseconds since the epoch. */
  readonly at: number;
  /** Value of the placeholder `{id}` of the path; empty where it has none. */
  readonly id: string;
  readonly query: URLSearchParams;
  /** The body as text; empty where there is none. */
  readonly text: string;
}

export interface ControlReply {
  readonly status: 200 | 201;
  readonly json: unknown;
}

export interface ControlOperation {
  readonly method: "GET" | "POST" | "DELETE";
  /** Below `/simulator`. */
  readonly path: string;
  readonly description: string;
  /** @throws ControlError, and RangeError for what the world cannot be */
  readonly handle: (call: ControlCall) => ControlReply;
}

export function ok(json: unknown): ControlReply {
  return { status: 200, json };
}

export function created(json: unknown): ControlReply {
  return { status: 201, json };
}

/** Moments are spelled as everywhere. */
export function isoTime(at: number): string {
  return new Date(at).toISOString();
}

/** An empty body is an empty object. @throws ControlError 400 */
export function readBody<Schema extends z.ZodType>(text: string, schema: Schema): z.output<Schema> {
  const { data, error } = schema.safeParse(parseJson(text));
  if (error === undefined) return data;
  const complaints = error.issues.map(
    ({ path, message }) => `${path.length === 0 ? "body" : path.join(".")}: ${message}`,
  );
  throw new ControlError(400, complaints.join("; "));
}

function parseJson(text: string): unknown {
  if (text.trim() === "") return {};
  try {
    return JSON.parse(text);
  } catch {
    throw new ControlError(400, "the body is not JSON");
  }
}

/** A request to the control endpoint that cannot be done, and the status that says so. */
export class ControlError extends Error {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.name = "ControlError";
    this.status = status;
    this.headers = headers;
  }
}
