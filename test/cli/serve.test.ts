import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { ReloadSource } from "../../src/app/config-reloader.ts";
import { StandbySource, standbyConfig } from "../../src/app/standby.ts";
import { startServing } from "../../src/cli/serve.ts";
import type { Config } from "../../src/config/load.ts";
import { ALICE, CAROL } from "../http/web-config/cases.ts";
import { testContext } from "../support/simulated-exporter.ts";
import { simulateServer } from "../support/simulated-server.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { loadTestConfig } from "../support/test-config.ts";

async function configOf(names: readonly string[], sections = ""): Promise<Config> {
  const servers = await Promise.all(
    names.map(async (name) => {
      const { url } = await simulateServer();
      return `{ name: ${name}, url: "${url}", auth: { api_key: "\${KEY}" }, limits: { requests_per_second: 1000 } }`;
    }),
  );
  return loadTestConfig(`servers: [${servers.join(", ")}]\n${sections}`);
}

function sourceOf(config: Config): ReloadSource {
  return {
    load: async () => config,
    preparePush: async () => undefined,
    prepareEvents: async () => undefined,
  };
}

interface Given {
  readonly source?: ReloadSource;
  readonly enableLifecycle?: boolean;
  readonly webConfig?: string;
}

async function serving(config: Config, { source, enableLifecycle = false, webConfig }: Given = {}) {
  const folder = temporaryFolder({ "web.yaml": webConfig ?? "" });
  const flags = {
    "web.listenAddress": [{ host: "127.0.0.1", port: 0 }],
    "web.telemetryPath": "/prtg",
    "web.enableLifecycle": enableLifecycle,
    ...(webConfig !== undefined && { "web.config.file": join(folder, "web.yaml") }),
  };
  const running = await startServing({ config, flags, context: testContext(), ...(source && { source }) });
  onTestFinished(() => running.stop());
  const [url = ""] = running.web.urls;
  const ask = async (path: string, init: RequestInit = {}) => {
    const response = await fetch(`${url}${path}`, init);
    return { status: response.status, text: await response.text() };
  };
  return { running, ask, writeWebConfig: (text: string) => writeFileSync(join(folder, "web.yaml"), text) };
}

const isUp = (text: string, server: string) => text.includes(`prtg_up{server="${server}"} 1`);

describe("serving", () => {
  test("is ready and has the metrics after the first poll", async () => {
    const { running, ask } = await serving(await configOf(["hq"]));
    expect(await running.firstPoll).toBe(true);
    expect((await ask("/-/ready")).status).toBe(200);
    await expect.poll(async () => isUp((await ask("/prtg")).text, "hq")).toBe(true);
    await running.stop();
    await expect(ask("/prtg")).rejects.toThrow("fetch failed");
  });

  test("reloads on request, and says so", async () => {
    const [config, next] = [await configOf(["hq"]), await configOf(["lab"])];
    const { running, ask } = await serving(config, { source: sourceOf(next), enableLifecycle: true });
    const reload = () => ask("/-/reload", { method: "POST" });
    expect(await reload()).toEqual({ status: 200, text: "Reloaded.\n" });
    expect(await reload()).toEqual({ status: 200, text: "The configuration has not changed.\n" });
    expect(await running.reload()).toEqual({ kind: "unchanged" });
    await expect.poll(async () => isUp((await ask("/prtg")).text, "lab")).toBe(true);
  });

  test("does not reload over HTTP without its flag, and not at all without a source", async () => {
    const { running, ask } = await serving(await configOf(["hq"]));
    expect((await ask("/-/reload", { method: "POST" })).status).toBe(403);
    expect(await running.reload()).toMatchObject({ kind: "refused", message: "there is no configuration to reload" });
  });

  test("refuses users that the web configuration lacks, at the start and at a reload", async () => {
    const users = "web: { users: { mallory: { servers: [hq] } } }\n";
    const refused = "web.users.mallory: expected a user of basic_auth_users";
    const [config, next] = [await configOf(["hq"]), await configOf(["hq"], users)];
    await expect(serving(next)).rejects.toThrow(refused);
    const { running } = await serving(config, { source: sourceOf(next) });
    expect(await running.reload()).toMatchObject({ kind: "refused", message: expect.stringContaining(refused) });
  });
});

describe("users of the web server", () => {
  const basic = (name: string, password: string) => ({
    headers: { authorization: `Basic ${Buffer.from(`${name}:${password}`).toString("base64")}` },
  });
  const alice = basic("alice", "wonderland");
  const carol = basic("carol", "lewis");

  test("see the servers that the configuration assigns to them", async () => {
    const config = await configOf(["acme", "globex"], "web: { users: { alice: { servers: [acme] } } }\n");
    const webConfig = `basic_auth_users: { alice: ${ALICE}, carol: ${CAROL} }\n`;
    const { running, ask } = await serving(config, { webConfig });
    await running.firstPoll;
    const serversOf = async (user: RequestInit) =>
      JSON.parse((await ask("/status.json", user)).text).servers.map(({ name }: { name: string }) => name);
    expect(await serversOf(alice)).toEqual(["acme"]);
    expect((await serversOf(carol)).toSorted()).toEqual(["acme", "globex"]);
    expect((await ask("/prtg/globex", alice)).status).toBe(403);
    expect((await ask("/debug/runs", alice)).status).toBe(403);
    expect((await ask("/status.json")).status).toBe(401);
  });

  test("see nothing if the web configuration loses its passwords", async () => {
    const config = await configOf(["acme"], "web: { users: { alice: { servers: [acme] } } }\n");
    const { ask, writeWebConfig } = await serving(config, { webConfig: `basic_auth_users: { alice: ${ALICE} }\n` });
    expect((await ask("/status.json", alice)).status).toBe(200);
    writeWebConfig("{}\n");
    await expect.poll(async () => (await ask("/status.json")).status).toBe(403);
    for (const path of ["/", "/prtg", "/prtg/acme"]) expect([path, (await ask(path)).status]).toEqual([path, 403]);
  });
});

describe("takeover", () => {
  async function standby(source: (config: Config) => ReloadSource = sourceOf) {
    const config = await configOf(["hq"]);
    const { log } = testContext();
    return serving(standbyConfig(config), { source: new StandbySource(source(config), config, log) });
  }

  test("of a standby begins its polls, and resolves the first poll", async () => {
    const { running, ask } = await standby();
    expect(isUp((await ask("/prtg")).text, "hq")).toBe(false);
    expect(running.isTakingOver).toBe(false);
    const takingOver = running.takeOver();
    expect(running.isTakingOver).toBe(true);
    await takingOver;
    expect(running.isTakingOver).toBe(false);
    expect(await running.firstPoll).toBe(true);
    await expect.poll(async () => isUp((await ask("/prtg")).text, "hq")).toBe(true);
  });

  test("rejects if something prevents it", async () => {
    const { running } = await standby((config) => ({
      ...sourceOf(config),
      preparePush: () => Promise.reject(new Error("no receiver")),
    }));
    await expect(running.takeOver()).rejects.toThrow("no receiver");
    const { running: other } = await serving(await configOf(["hq"]));
    await expect(other.takeOver()).rejects.toThrow("this replica is not a standby");
  });
});
