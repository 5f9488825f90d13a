import { expect } from "vitest";
import { ManualClock } from "../../../../../test/support/manual-clock.ts";
import { type Contract, loadContract } from "../../../src/api/contract/contract.ts";
import { ERROR_STATUS } from "../../../src/api-errors.ts";
import { ACCESS_LEVELS } from "../../../src/auth/accounts.ts";
import type { ReleaseName, SpellingName } from "../../../src/release/release.ts";
import { type Simulator, startSimulator } from "../../../src/simulator.ts";
import { createWorld } from "../../../src/world/world.ts";
import { complaintAbout } from "../../support/contract-check.ts";
import { CREDENTIALS } from "../../support/running-service.ts";
import { NOW } from "../../support/static-world.ts";
import { known, outcomeOf, type Row } from "./row.ts";
import { keyWith } from "./rows/generic.ts";
import type { Received, Running, Sent } from "./running.ts";
import { ID, specifiedWorld } from "./specified-world.ts";

export interface Specified {
  readonly large?: true;
  /** Default: the specification's. */
  readonly spelling?: SpellingName;
  /** Default: the newest. */
  readonly release?: ReleaseName | undefined;
}

export async function startSpecified(options: Specified = {}): Promise<Running> {
  const clock = new ManualClock(NOW);
  const world = options.large ? largeWorld() : specifiedWorld().world;
  const credentials = { ...CREDENTIALS, restrictedTo: [ID.elsewhere] };
  const { spelling = "specification", release } = options;
  const simulator = await startSimulator({ world, clock, spelling, release, credentials });
  addKeys(simulator);
  const contract = await loadContract();
  const send: Running["send"] = async (method, path, sent = {}) => {
    const received = await request(simulator.url, method, path, sent);
    expect(await complaintAbout({ ...received, method, target: `/api/v2${path}` }), received.text).toBeUndefined();
    checkError(received);
    return received;
  };
  const none = { status: 0, headers: new Headers(), text: "", json: undefined };
  return { simulator, clock, contract, send, received: none, earlier: none };
}

/** Of a user with all rights. */
function addKeys({ installation: { directory }, now }: Simulator): void {
  const user = directory.userByLogin("ada.brandt");
  if (user === undefined) throw new Error("there is no such administrator");
  for (const accessLevel of ACCESS_LEVELS) {
    directory.keys.create(user, { name: accessLevel, accessLevel }, now(), keyWith(accessLevel));
  }
}

function largeWorld() {
  return createWorld({ seed: 5, size: { probes: 1, groups: 20, devices: 100, sensors: 1000 }, startedAt: NOW });
}

async function request(
  url: string,
  method: string,
  path: string,
  { bearer = CREDENTIALS.apiKey, authorization, body }: Sent,
): Promise<Received> {
  const value = authorization ?? (bearer === null ? undefined : `Bearer ${bearer}`);
  const response = await fetch(`${url}/api/v2${path}`, {
    method,
    redirect: "manual",
    headers: value === undefined ? {} : { Authorization: value },
    ...(body === undefined ? {} : { body: isRaw(body) ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: text === "" ? undefined : JSON.parse(text) };
}

function isRaw(body: unknown): body is string | Uint8Array<ArrayBuffer> {
  return typeof body === "string" || body instanceof Uint8Array;
}

/** "The body of an error response is always an error object"; `request_id` is "also sent as the `X-Request-Id` header". */
function checkError({ status, json, headers }: Received): void {
  if (status < 400) return;
  expect(json).toEqual({
    code: expect.toSatisfy((code: string) => code in ERROR_STATUS),
    message: expect.stringMatching(/^.*\w.*$/),
    request_id: headers.get("x-request-id"),
  });
}

/** True if rows can share a service of their spelling and release. */
export function changesNothing({ method, before, after, answers, operation }: Row, contract: Contract): boolean {
  const reads = (method ?? contract.operations.find(({ id }) => id === operation)?.method) === "GET";
  return before === undefined && (reads || (after === undefined && typeof answers === "string"));
}

export async function show(row: Row, it: Running): Promise<void> {
  for (const step of row.before ?? []) await step(it);
  const path = known(row.path, it);
  const method = methodOf(row, path, it);
  if (row.fault !== undefined) it.simulator.faults.set([row.fault]);
  const bearer = row.bearer === undefined ? undefined : known(row.bearer, it);
  it.received = await it.send(method, path, { bearer, authorization: row.authorization, body: known(row.body, it) });
  if (row.fault !== undefined) it.simulator.faults.clear();
  const { json, text, headers } = it.received;
  expect(outcomeOf(it.received), text).toBe(row.answers);
  if (row.shows !== undefined) expect(json).toMatchObject(row.shows as object);
  for (const [name, expected] of Object.entries(row.headers ?? {})) {
    if (expected instanceof RegExp) expect(headers.get(name)).toMatch(expected);
    else expect(headers.get(name)).toBe(expected);
  }
  for (const step of row.after ?? []) await step(it);
}

function methodOf({ operation, method }: Row, path: string, { contract }: Running): string {
  const found = contract.operations.find(({ id }) => id === operation);
  const used = method ?? found?.method ?? "";
  const { pathname } = new URL(`/api/v2${path}`, "http://service");
  expect(contract.match(used, pathname)?.operation.id ?? "none").toBe(operation);
  return used;
}
