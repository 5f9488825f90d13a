import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { startCommand } from "../support/command-line.ts";
import { parsePage } from "../support/parse-sample.ts";
import { CREDENTIALS, simulateServer } from "../support/simulated-server.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const PATIENCE = { timeout: 40_000, interval: 50 };
const OFTEN =
  "collectors: { health: { schedule: 1s }, tree: { schedule: 1s }, status: { schedule: 1s }, channels: { schedule: 1s } }\n";
const NEW_KEY = "the-rotated-secret";

test("no poll fails during a change of the API key", async () => {
  const { url, requests, installation, now } = await simulateServer();
  const yaml = `servers: [{ name: hq, url: "${url}", auth: { api_key_file: secret } }]\n${OFTEN}`;
  const folder = temporaryFolder({ "prtg.yaml": yaml, secret: CREDENTIALS.apiKey });
  const file = join(folder, "secret");
  chmodSync(file, 0o600);
  const args = ["serve", "--config.file", join(folder, "prtg.yaml"), "--web.listen-address", "127.0.0.1:0"];
  const serve = startCommand(args, {});
  await serve.until(/first poll finished/);
  writeFileSync(file, `${NEW_KEY}\n`);
  const { keys } = installation.directory;
  const old = keys.findByText(CREDENTIALS.apiKey);
  if (old === undefined) throw new Error("no such key");
  keys.create(old.user, { name: "rotated", accessLevel: old.accessLevel }, now(), NEW_KEY);
  keys.delete(old);
  const polled = () => requests.count({ route: "/experimental/channels", status: 200 });
  const before = polled();
  await vi.waitFor(() => expect(polled()).toBeGreaterThan(before + 3), PATIENCE);
  // One per collector may be in flight. Live servers call this key format malformed.
  expect(requests.count({ status: 400 })).toBeGreaterThan(0);
  expect(requests.count({ status: 400 })).toBeLessThan(8);
  expect(serve.stderr).not.toMatch(/ failed: /);
  const values: Record<string, string> = {};
  for (const { name, labels, value } of parsePage(
    await (await fetch(`${await serve.url()}/metrics`)).text(),
  ).values()) {
    if (name === "prtg_up") values.up = value;
    if (name === "prtg_exporter_collector_success") values[labels.collector ?? ""] = value;
  }
  expect(values).toMatchObject({ up: "1", health: "1", tree: "1", status: "1", channels: "1" });
  expect(Object.values(values).filter((value) => value !== "1")).toEqual([]);
  expect(serve.stderr).not.toContain(NEW_KEY);
}, 60_000);
