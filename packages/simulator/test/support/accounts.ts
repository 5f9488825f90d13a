import { expect } from "vitest";
import type { Received, RunningService } from "./running-service.ts";

export const USER = {
  administrator: "100",
  restricted: "101",
  noor: "111",
  helpdesk: "113",
  facility: "114",
  branch: "115",
} as const;

export function post(service: RunningService, path: string, body?: unknown, bearer?: string | null): Promise<Received> {
  const text = body === undefined ? {} : { body: JSON.stringify(body) };
  return service.send(path, { method: "POST", ...text, ...(bearer === undefined ? {} : { bearer }) });
}

export async function keyOf(service: RunningService, user: string, accessLevel = "FULL"): Promise<string> {
  const body = { name: "for a test", access_level: accessLevel };
  const { status, json } = await post(service, `/users/${user}/api-keys`, body);
  expect(status).toBe(200);
  return (json as { key: string }).key;
}

export function outcome({ status, json }: Received): string {
  const code = (json as { code?: string } | undefined)?.code;
  return code === undefined ? String(status) : `${status} ${code}`;
}
