import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { shardOf } from "../../src/config/shard.ts";
import { startCommand } from "../support/command-line.ts";
import { CREDENTIALS, simulateServer } from "../support/simulated-server.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const SHARDS = 3;
const NAMES = Array.from({ length: SHARDS }, (_, shard) => {
  for (let number = 0; ; number++) if (shardOf(`site-${number}`, SHARDS) === shard) return `site-${number}`;
});

async function start(shard: string, file: string) {
  const args = ["serve", "--config.file", file, "--web.listen-address", "127.0.0.1:0", "--web.enable-lifecycle"];
  const exporter = startCommand([...args, "--shard", shard], { env: { KEY: CREDENTIALS.apiKey } });
  const url = await exporter.url();
  await exporter.until(/ready/);
  const get = async (path: string) => {
    const answer = await fetch(`${url}${path}`);
    return { status: answer.status, text: await answer.text() };
  };
  return {
    exporter,
    get,
    servers: async () => {
      const { text } = await get("/metrics");
      return [...new Set([...text.matchAll(/server="([^"]*)"/g)].map(([, name]) => name))];
    },
    reload: async () => (await fetch(`${url}/-/reload`, { method: "POST" })).text(),
  };
}

test("a shard serves only its servers, is ready without any, and keeps its part after a reload", async () => {
  const simulator = await simulateServer();
  const config = (names: readonly (string | undefined)[]) =>
    `servers:\n${names.map((name) => `  - { name: ${name}, url: "${simulator.url}", auth: { api_key: "\${KEY}" } }\n`).join("")}`;
  const folder = temporaryFolder({ "prtg.yaml": config([NAMES[0], NAMES[2]]) });
  const file = join(folder, "prtg.yaml");
  const [first, second] = await Promise.all([start("0/3", file), start("1/3", file)]);

  expect(await first.servers()).toEqual([NAMES[0]]);
  expect(first.exporter.stderr).toContain("serving 1 of 2 servers");

  expect(await second.servers()).toEqual([]);
  expect(second.exporter.stderr).toContain("this shard has no servers");
  expect((await second.get("/metrics")).text).toMatch(/^prtg_exporter_build_info\{.* 1$/m);
  for (const path of ["/-/ready", "/-/healthy", "/"]) expect((await second.get(path)).status).toBe(200);
  const report: unknown = JSON.parse((await second.get("/status.json")).text);
  expect(report).toMatchObject({ ready: true, servers: [], configuration: { shard: "1/3" } });

  writeFileSync(file, config(NAMES));
  expect(await first.reload()).toBe("The configuration has not changed.\n");
  expect(await second.reload()).toBe("Reloaded.\n");
  await vi.waitFor(async () => expect(await second.servers()).toEqual([NAMES[1]]), { timeout: 30_000, interval: 100 });

  writeFileSync(file, config([NAMES[2]]));
  expect(await first.reload()).toBe("Reloaded.\n");
  await vi.waitFor(async () => expect(await first.servers()).toEqual([]), { timeout: 30_000, interval: 100 });
  expect((await first.get("/-/ready")).status).toBe(200);
});

test("a wrong --shard fails with the valid form", async () => {
  const { code, stderr } = await startCommand(["serve", "--shard=3/3"], { env: {} }).ended;
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(/\[SHARD_INVALID\] Use i\/n/) });
});
