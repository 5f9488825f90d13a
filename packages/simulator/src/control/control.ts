import type { IncomingMessage, ServerResponse } from "node:http";
import { FaultSyntaxError } from "../faults/grammar.ts";
import { ScenarioError } from "../scenario/scenario-error.ts";
import { OBJECT_OPERATIONS } from "./object-operations.ts";
import {
  type ControlCall,
  ControlError,
  type ControlOperation,
  type ControlParts,
  type ControlReply,
  ok,
} from "./operation.ts";
import { SERVICE_OPERATIONS } from "./service-operations.ts";
import { STATUS_CHANGES } from "./status-changes.ts";
import { describeTime, TIME_OPERATIONS } from "./time-operations.ts";

/** Beside `/api/v2`, whose paths it can never take. */
export const CONTROL_ROOT = "/simulator";

const MAX_BYTES = 1024 * 1024;

const OVERVIEW: ControlOperation = {
  method: "GET",
  path: "",
  description: "lists operations, time, seed and size of the world",
  handle(call) {
    const { world } = call;
    const counts = { sensors: world.list("sensor").length, channels: world.channels().length };
    const operations = CONTROL_OPERATIONS.map(
      ({ method, path, description }) => `${method} ${CONTROL_ROOT}${path}: ${description}`,
    );
    return ok({ seed: world.seed, ...counts, time: describeTime(call), operations });
  },
};

export const CONTROL_OPERATIONS: readonly ControlOperation[] = [
  OVERVIEW,
  ...TIME_OPERATIONS,
  ...SERVICE_OPERATIONS,
  STATUS_CHANGES,
  ...OBJECT_OPERATIONS,
];

/** Changes the world at run time, with `--control`. No part of API v2: faults and the log of requests pass it by. */
export class Control {
  readonly #parts: () => ControlParts;
  readonly #apiKey: string;

  /** @param parts Of the present run. A reset replaces them. */
  constructor(parts: () => ControlParts, apiKey: string) {
    this.#parts = parts;
    this.#apiKey = apiKey;
  }

  /** Whether a request is for the control endpoint. */
  owns(url: string): boolean {
    const [path = ""] = url.split(/[?#]/);
    return path === CONTROL_ROOT || path.startsWith(`${CONTROL_ROOT}/`);
  }

  /** Never rejects. */
  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const { status, json } = await this.#answer(request);
      send(response, status, json);
    } catch (error) {
      const { status, message, headers } = errorOf(error);
      send(response, status, { message }, headers);
    }
  }

  async #answer(request: IncomingMessage): Promise<ControlReply> {
    if (request.headers.authorization !== `Bearer ${this.#apiKey}`) {
      const headers = { "WWW-Authenticate": "Bearer" };
      throw new ControlError(
        401,
        "the control endpoint requires the header Authorization: Bearer with the API key",
        headers,
      );
    }
    return this.operate(request.method ?? "", request.url ?? "", await readText(request));
  }

  /** Answers a request without HTTP and without a key. @throws ControlError, RangeError, ScenarioError and FaultSyntaxError */
  operate(method: string, url: string, text: string): ControlReply {
    const { pathname, searchParams } = new URL(url, "http://control");
    const { operation, id } = find(method, pathname);
    const parts = this.#parts();
    const call: ControlCall = { ...parts, at: parts.now(), id, query: searchParams, text };
    return operation.handle(call);
  }
}

function find(method: string, path: string): { readonly operation: ControlOperation; readonly id: string } {
  const found = CONTROL_OPERATIONS.flatMap((operation) => {
    const id = matchPath(operation.path, path.slice(CONTROL_ROOT.length));
    return id === undefined ? [] : [{ operation, id }];
  });
  const fitting = found.find(({ operation }) => operation.method === method);
  if (fitting !== undefined) return fitting;
  const allowed = found.map(({ operation }) => operation.method).join(", ");
  if (allowed === "") throw new ControlError(404, `there is no ${path}. GET ${CONTROL_ROOT} lists all operations`);
  throw new ControlError(405, `${path} supports only ${allowed}`, { Allow: allowed });
}

/** The value of `{id}`, empty where the pattern has none; undefined where the path is another one. */
function matchPath(pattern: string, path: string): string | undefined {
  const expected = pattern.split("/");
  const parts = path.split("/");
  if (parts.length !== expected.length) return undefined;
  if (!expected.every((part, index) => part === "{id}" || part === parts[index])) return undefined;
  const place = expected.indexOf("{id}");
  return place < 0 ? "" : parts[place];
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BYTES)
      throw new ControlError(413, `the body is larger than ${MAX_BYTES} bytes`, { Connection: "close" });
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function errorOf(error: unknown): ControlError {
  if (error instanceof ControlError) return error;
  // What the world cannot be, and what cannot be read.
  if (error instanceof RangeError || error instanceof ScenarioError || error instanceof FaultSyntaxError) {
    return new ControlError(400, error.message);
  }
  return new ControlError(500, error instanceof Error ? (error.stack ?? error.message) : String(error));
}

function send(
  response: ServerResponse,
  status: number,
  json: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  const body = `${JSON.stringify(json, undefined, 2)}\n`;
  response.writeHead(status, { "Content-Type": "application/json; charset=utf-8", ...headers });
  response.end(body);
}
