import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { SCHEMA_URL } from "../../src/otlp/semantic-conventions.ts";
import { startReceiver } from "../otlp/support/otlp-http-receiver.ts";
import { runCommand, startCommand } from "../support/command-line.ts";
import { CREDENTIALS, simulateServer } from "../support/simulated-server.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { pointsOf } from "./pushing.ts";

/** A quiet hour may have only two deliveries of 500 values. */
const FLAGS = ["--from", "6h", "--resolution", "short"];

// Several runs: seconds of work on a busy machine.
vi.setConfig({ testTimeout: 240_000 });

/** `FOLDER` stands for its folder. */
function prepare(url: string, settings: string) {
  const folder = temporaryFolder({});
  const config = `servers: [{ name: hq, url: "${url}", auth: { api_key: "\${KEY}" } }]\n${settings}`;
  const files = temporaryFolder({ "config.yaml": config.replaceAll("FOLDER", folder) });
  const args = ["backfill", "--config.file", join(files, "config.yaml"), "--push", ...FLAGS];
  const env = { KEY: CREDENTIALS.apiKey };
  return { folder, run: () => runCommand(args, { env }), start: () => startCommand(args, { env }) };
}

test("backfill --push finishes current requests at Ctrl-C and continues from there", async () => {
  const { url } = await simulateServer();
  const reached = Promise.withResolvers<void>();
  const receiver = await startReceiver((request) => {
    if (request !== 1) return undefined;
    reached.resolve();
    return (response) => setTimeout(() => response.end(), 300);
  });
  const { start, run, folder } = prepare(url, `state_dir: FOLDER\notlp: { endpoint: "${receiver.url}" }`);
  const command = start();
  await reached.promise;
  command.kill("SIGINT");
  const { code, stdout, stderr } = await command.ended;
  expect(code, stderr).toBe(130);
  const pushed = receiver.requests.flatMap(pointsOf).length;
  expect(stdout).toMatch(new RegExp(`^interrupted: ${pushed} of \\d+ values are pushed. Run the same command again`));
  expect(await run()).toMatchObject({ code: 0 });
  const points = receiver.requests.flatMap(pointsOf);
  expect(new Set(points).size).toBe(points.length);
  expect(existsSync(join(folder, "backfill"))).toBe(true);
});

test("backfill --push uses names and resources of the profile otel, also after a restart", async () => {
  const { url } = await simulateServer();
  const reached = Promise.withResolvers<void>();
  const receiver = await startReceiver((request) => {
    if (request === 0) reached.resolve();
    return undefined;
  });
  const { start, run } = prepare(url, `state_dir: FOLDER\notlp: { endpoint: "${receiver.url}", profile: otel }`);
  const command = start();
  await reached.promise;
  command.kill("SIGINT");
  expect((await command.ended).code).toBe(130);
  const before = receiver.requests.length;
  const { code, stderr } = await run();
  expect(code, stderr).toBe(0);
  expect(receiver.requests.length).toBeGreaterThan(before);
  const devices = receiver.requests.map(({ batches }) => {
    for (const { resource, schemaUrl, metrics } of batches) {
      expect(schemaUrl).toBe(SCHEMA_URL);
      expect(resource).toMatchObject({ "host.name": expect.any(String), "prtg.server.name": "hq" });
      expect(resource["service.instance.id"]).toMatch(new RegExp(`^[\\da-f-]{36}/hq/${resource["prtg.device.id"]}$`));
      expect(new Set(metrics.map(({ name }) => name))).toEqual(new Set(["prtg.channel.value"]));
    }
    return batches.map(({ resource }) => resource["prtg.device.id"]);
  });
  expect(new Set(devices.flat()).size).toBeGreaterThan(1);
  for (const ids of devices) expect(new Set(ids).size).toBe(ids.length);
});
