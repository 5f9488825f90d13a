import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Simulator } from "prtg-simulator/src/simulator.ts";
import { expect, test, vi } from "vitest";
import { type RunningCommand, startCommand } from "../support/command-line.ts";
import { parsePage } from "../support/parse-sample.ts";
import { CREDENTIALS, simulateServer } from "../support/simulated-server.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const PATIENCE = { timeout: 40_000, interval: 50 };
const OFTEN =
  "collectors: { health: { schedule: 1s }, tree: { schedule: 1s }, status: { schedule: 1s }, channels: { schedule: 1s } }\n";
const NEW_SECRET = "the-rotated-secret";

interface Way {
  readonly auth: string;
  readonly secret: string;
  /** Live servers call this key format malformed (400). */
  readonly refusal: number;
  /** The server now accepts only the new secret. */
  readonly rotate: (simulator: Simulator) => void;
}

const WAYS: Readonly<Record<string, Way>> = {
  "an API key": {
    auth: "{ api_key_file: secret }",
    secret: CREDENTIALS.apiKey,
    refusal: 400,
    rotate: ({ installation, now }) => {
      const { keys } = installation.directory;
      const old = keys.findByText(CREDENTIALS.apiKey);
      if (old === undefined) throw new Error("no such key");
      keys.create(old.user, { name: "rotated", accessLevel: old.accessLevel }, now(), NEW_SECRET);
      keys.delete(old);
    },
  },
  "a password": {
    auth: `{ username: ${CREDENTIALS.username}, password_file: secret }`,
    secret: CREDENTIALS.password,
    refusal: 401,
    rotate: (simulator) => {
      const user = simulator.installation.directory.userByLogin(CREDENTIALS.username);
      if (user === undefined) throw new Error("no such user");
      user.password = NEW_SECRET;
      simulator.dropSessions();
    },
  },
};

async function start({ auth, secret }: Way) {
  const simulator = await simulateServer();
  const yaml = `servers: [{ name: hq, url: "${simulator.url}", auth: ${auth} }]\n${OFTEN}`;
  const folder = temporaryFolder({ "prtg.yaml": yaml, secret });
  const file = join(folder, "secret");
  chmodSync(file, 0o600);
  const args = ["serve", "--config.file", join(folder, "prtg.yaml"), "--web.listen-address", "127.0.0.1:0"];
  const serve = startCommand(args, {});
  await serve.until(/first poll finished/);
  return { simulator, serve, file };
}

async function samples(serve: RunningCommand) {
  return [...parsePage(await (await fetch(`${await serve.url()}/metrics`)).text()).values()];
}

test.each(Object.entries(WAYS))(
  "no poll fails during changes of %s",
  async (_, way) => {
    const { simulator, serve, file } = await start(way);
    writeFileSync(file, `${NEW_SECRET}\n`);
    way.rotate(simulator);
    const polled = () => simulator.requests.count({ route: "/experimental/channels", status: 200 });
    const before = polled();
    await vi.waitFor(() => expect(polled()).toBeGreaterThan(before + 3), PATIENCE);
    // One per collector may be in flight.
    expect(simulator.requests.count({ status: way.refusal })).toBeGreaterThan(0);
    expect(simulator.requests.count({ status: way.refusal })).toBeLessThan(8);
    expect(serve.stderr).not.toMatch(/ failed: /);
    const values: Record<string, string> = {};
    for (const { name, labels, value } of await samples(serve)) {
      if (name === "prtg_up") values.up = value;
      if (name === "prtg_exporter_collector_success") values[labels.collector ?? ""] = value;
    }
    expect(values).toMatchObject({ up: "1", health: "1", tree: "1", status: "1", channels: "1" });
    expect(Object.values(values).filter((value) => value !== "1")).toEqual([]);
    expect(serve.stderr).not.toContain(NEW_SECRET);
  },
  60_000,
);
