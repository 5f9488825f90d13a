import { expect, onTestFinished, test } from "vitest";
import { startCommand } from "../support/command-line.ts";
import { CREDENTIALS, simulateServer } from "../support/simulated-server.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const READERS = 60;

test("readers of unanswered charts do not block other readers", async () => {
  const simulator = await simulateServer();
  const folder = temporaryFolder({
    "prtg.yaml": `servers: [{ name: hq, url: "${simulator.url}", auth: { api_key: "\${KEY}" } }]\ncollectors: { timeseries: { enabled: false } }\n`,
  });
  const exporter = startCommand(
    [
      ...["serve", "--config.file", `${folder}/prtg.yaml`],
      ...["--web.listen-address", "127.0.0.1:0", "--web.enable-lifecycle"],
    ],
    { env: { KEY: CREDENTIALS.apiKey } },
  );
  const url = await exporter.url();
  await exporter.until(/ready/);
  simulator.faults.set(["hang@*/timeseries**"]);
  const leaving = new AbortController();
  onTestFinished(() => leaving.abort());
  const sensors = simulator.world.list("sensor").slice(0, 9);
  let waiting = READERS;
  const answers = Array.from({ length: READERS }, async (_, reader) => {
    const sensor = sensors[reader % sensors.length];
    const answer = await fetch(`${url}/tree?server=hq&id=${sensor?.id}&chart=1`, { signal: leaving.signal });
    waiting--;
    return { status: answer.status, retryAfter: answer.headers.get("Retry-After"), text: await answer.text() };
  });
  const statusOf = async (path: string, method = "GET") => (await fetch(`${url}${path}`, { method })).status;
  await expect.poll(() => waiting, { timeout: 8_000 }).toBeLessThanOrEqual(8);
  expect(waiting).toBe(8);
  const scrapes = await Promise.all(Array.from({ length: 30 }, () => statusOf("/metrics")));
  expect(scrapes).toEqual(Array.from({ length: 30 }, () => 200));
  for (const path of ["/-/healthy", "/-/ready", "/metrics/hq", "/", "/status.json"]) {
    expect([path, await statusOf(path)]).toEqual([path, 200]);
  }
  expect(await statusOf("/-/reload", "POST")).toBe(200);
  const all = await Promise.all(answers);
  const refused = all.filter(({ status }) => status === 503);
  expect(refused).toHaveLength(READERS - 8);
  for (const { retryAfter } of refused) expect(retryAfter).toBe("10");
  for (const { text } of all.filter(({ status }) => status === 200)) expect(text).toContain("has not answered yet");
  expect(await (await fetch(`${url}/metrics`)).text()).toContain(
    `prtg_exporter_http_rejected_total{reason="requests"} ${READERS - 8}`,
  );
}, 90_000);
