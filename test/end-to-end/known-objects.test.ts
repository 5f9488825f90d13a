import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { listsOf } from "../faults/support/missing-endpoints.ts";
import { startCommand } from "../support/command-line.ts";
import { parsePage } from "../support/parse-sample.ts";
import { CREDENTIALS, simulateServer } from "../support/simulated-server.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const LISTS = ["sensors", "devices", "groups", "probes", "channels"].flatMap(listsOf);
const BUDGET = 60;
const SECOND = 1_000;

test("started again when all lists are gone, it shows the sensors that it knew, within the budget", async () => {
  const simulator = await simulateServer();
  simulator.freezeAt(simulator.now());
  const often = "{ schedule: 1s }";
  const folder = temporaryFolder({
    "prtg.yaml": [
      `servers: [{ name: hq, url: "${simulator.url}", auth: { api_key: "\${KEY}" }, limits: { requests_per_second: ${BUDGET} } }]`,
      `collectors: { tree: ${often}, status: ${often}, channels: ${often} }`,
      "state_dir: state",
      "",
    ].join("\n"),
  });
  const args = ["serve", "--config.file", join(folder, "prtg.yaml"), "--web.listen-address", "127.0.0.1:0"];
  const start = () => startCommand(args, { env: { KEY: CREDENTIALS.apiKey } });
  const shown = async (page: string) => {
    const samples = parsePage(await (await fetch(`${page}/metrics`)).text()).values();
    const found = [...samples].filter(({ name }) => /^prtg_(channel_value|sensor_status_code)$/.test(name));
    return found.map(({ name, labels, value }) => JSON.stringify([name, labels, value])).sort();
  };

  const first = start();
  await first.until(/first poll finished/);
  const before = await shown(await first.url());
  expect(before.length).toBeGreaterThan(60);
  first.kill("SIGTERM");
  expect((await first.ended).code).toBe(0);
  const [file = "", ...more] = readdirSync(join(folder, "state"));
  expect([file, more]).toEqual([expect.stringMatching(/^objects-hq-[0-9a-f]{8}\.json$/), []]);
  expect(readFileSync(join(folder, "state", file), "utf8")).not.toContain(CREDENTIALS.apiKey);

  simulator.faults.set(LISTS.map((endpoint) => `missing@${endpoint}`));
  const asked = () => simulator.requests.counts().reduce((sum, { count }) => sum + count, 0);
  const [askedBefore, began] = [asked(), performance.now()];
  const second = start();
  await second.until(/objects are known from before the start/);
  const url = await second.url();
  await expect.poll(() => shown(url), { timeout: 60 * SECOND, interval: 200 }).toEqual(before);
  expect(asked() - askedBefore).toBeLessThanOrEqual((BUDGET * (performance.now() - began)) / SECOND);
  second.kill("SIGTERM");
  expect((await second.ended).code).toBe(0);
}, 120_000);
