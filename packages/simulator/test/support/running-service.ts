import { onTestFinished } from "vitest";
import { ManualClock } from "../../../../test/support/manual-clock.ts";
import { type Simulator, type SimulatorOptions, startSimulator } from "../../src/simulator.ts";
import { complaintAbout } from "./contract-check.ts";
import { NOW, StaticWorld } from "./static-world.ts";

export const CREDENTIALS = {
  apiKey: "KEY==",
  username: "operator",
  password: "correct horse",
  restrictedApiKey: "RESTRICTED",
  restrictedTo: ["100", "20"],
  limitedApiKey: "LIMITED",
};

export interface Received {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: unknown;
}

export interface Sent {
  readonly method?: string;
  /** Undefined: all rights. Null: no header. */
  readonly bearer?: string | null;
  readonly body?: string;
}

export interface RunningService {
  readonly simulator: Simulator;
  readonly clock: ManualClock;
  /** Path below `/api/v2`. */
  send(path: string, sent?: Sent): Promise<Received>;
  ids(path: string, sent?: Sent): Promise<string[]>;
}

/** A service of one test, closed after it. */
export async function startService(options: Partial<SimulatorOptions> = {}): Promise<RunningService> {
  const service = await openService(options);
  onTestFinished(() => service.simulator.close());
  return service;
}

/** A service of several tests that change nothing. The caller closes its simulator. */
export async function openService(options: Partial<SimulatorOptions> = {}): Promise<RunningService> {
  const clock = new ManualClock(NOW);
  const simulator = await startSimulator({
    world: new StaticWorld(),
    clock,
    spelling: "live",
    credentials: CREDENTIALS,
    ...options,
  });
  const send = async (path: string, sent: Sent = {}): Promise<Received> => {
    // The contract does not cover faulty answers.
    const faultless = simulator.faults.list().length === 0;
    const received = await sendTo(`${simulator.url}/api/v2${path}`, sent);
    const target = `/api/v2${path}`;
    const complaint = faultless
      ? await complaintAbout({ ...received, method: sent.method ?? "GET", target })
      : undefined;
    if (complaint !== undefined) throw new Error(`${complaint}\n${received.text}`);
    return received;
  };
  const ids = async (path: string, sent: Sent = {}): Promise<string[]> => {
    const { status, json, text } = await send(path, sent);
    if (status !== 200) throw new Error(`${path}: ${status} ${text}`);
    return (json as { id: string }[]).map(({ id }) => id);
  };
  return { simulator, clock, send, ids };
}

export async function sendTo(url: string, { method = "GET", bearer, body }: Sent = {}): Promise<Received> {
  const headers = bearer === null ? {} : { Authorization: `Bearer ${bearer ?? CREDENTIALS.apiKey}` };
  const init = { method, headers, redirect: "manual" as const, ...(body === undefined ? {} : { body }) };
  const response = await fetch(url, init);
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.startsWith("application/json") === true;
  return { status: response.status, headers: response.headers, text, json: isJson ? parsed(text) : undefined };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function query(parameters: Readonly<Record<string, string>>): string {
  return `?${new URLSearchParams(parameters)}`;
}
