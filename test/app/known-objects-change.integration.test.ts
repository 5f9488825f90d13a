import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { digestConfig } from "../../src/app/config-digests.ts";
import { Exporter } from "../../src/app/exporter.ts";
import { decodeObjects } from "../../src/collectors/known-objects-file.ts";
import { type Config, loadConfig } from "../../src/config/load.ts";
import { testContext } from "../support/simulated-exporter.ts";
import { CREDENTIALS, simulateServer } from "../support/simulated-server.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

test("a reload says where ids of objects are kept, and of which part of the server", async () => {
  const { url, world } = await simulateServer();
  const folder = temporaryFolder({});
  const [group] = world.list("group");
  const configOf = async (stateDir: string | undefined, select = ""): Promise<Config> => {
    const state = stateDir === undefined ? "" : `\nstate_dir: ${join(folder, stateDir)}`;
    const yaml = `servers: [{ name: hq, url: "${url}", auth: { api_key: "\${KEY}" }${select} }]${state}`;
    return (await loadConfig({ file: "t", env: { KEY: CREDENTIALS.apiKey }, readFile: async () => yaml })).config;
  };
  const kept = (stateDir: string) => {
    const [file = ""] = readdirSync(join(folder, stateDir));
    const decoded = decodeObjects(readFileSync(join(folder, stateDir, file), "utf8"), "hq");
    if ("problem" in decoded) throw new Error(decoded.message);
    return { sensors: decoded.ids.get("sensor")?.size, selection: decoded.selection };
  };
  /** What is kept at the end where one configuration follows the other. */
  const endsWith = async (from: Config, to: Config): Promise<void> => {
    const exporter = new Exporter(from, testContext());
    await exporter.start();
    const digests = await digestConfig(to);
    await exporter.change(await digestConfig(from), { config: to, digests, push: undefined, events: undefined }, 1_000);
    await exporter.pollOnce(AbortSignal.timeout(60_000));
    await exporter.stop();
  };
  const sensors = world.list("sensor").length;
  const part = `, select: { include: [{ id: "${group?.id}" }] }`;

  await endsWith(await configOf(undefined), await configOf(undefined));
  expect(readdirSync(folder)).toEqual([]);
  await endsWith(await configOf("one"), await configOf("two"));
  expect(readdirSync(folder)).toEqual(["two"]);
  expect(kept("two")).toEqual({ sensors, selection: "" });
  await endsWith(await configOf("two"), await configOf("two", part));
  expect(kept("two")).toEqual({ sensors: expect.any(Number), selection: expect.stringMatching(/^[0-9a-f]{16}$/) });
  expect(kept("two").sensors).toBeLessThan(sensors);
}, 60_000);
