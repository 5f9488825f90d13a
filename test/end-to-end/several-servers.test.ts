import { expect, onTestFinished, test, vi } from "vitest";
import { Exporter } from "../../src/app/exporter.ts";
import { loadConfig } from "../../src/config/load.ts";
import { negotiateFormat } from "../../src/exposition/negotiate.ts";
import { freePort } from "../support/free-port.ts";
import { type ParsedSample, parsePage } from "../support/parse-sample.ts";
import { testContext } from "../support/simulated-exporter.ts";
import { CREDENTIALS, simulateServer } from "../support/simulated-server.ts";

interface MonitoredServers {
  readonly exporter: Exporter;
  page(): Promise<ParsedSample[]>;
}

async function monitor(urls: Readonly<Record<string, string>>): Promise<MonitoredServers> {
  const servers = Object.entries(urls).map(
    // Only short for servers that must time out, because the machine may be busy.
    ([name, url]) =>
      `  - { name: ${name}, url: "${url}", auth: { api_key: "\${KEY}" }, limits: { timeout: ${name === "hanging" ? "2s" : "20s"} } }\n`,
  );
  const { config } = await loadConfig({
    file: "prtg.yaml",
    env: { KEY: CREDENTIALS.apiKey },
    readFile: async () => `servers:\n${servers.join("")}collectors: { health: { schedule: 1s } }\n`,
  });
  const exporter = new Exporter(config, testContext());
  onTestFinished(() => exporter.stop());
  return {
    exporter,
    page: async () => {
      await exporter.exposition.refresh();
      const page = Buffer.concat(await exporter.exposition.page(negotiateFormat({}), "identity")).toString();
      return [...parsePage(page).values()];
    },
  };
}

function upOf(samples: readonly ParsedSample[]): Record<string, string> {
  const up = samples.filter(({ name }) => name === "prtg_up");
  return Object.fromEntries(up.map(({ labels, value }) => [labels.server, value]));
}

/** Without `server` and changing values. */
function worldOf(samples: readonly ParsedSample[], server: string): string[] {
  return samples
    .filter(({ name, labels }) => labels.server === server && !name.startsWith("prtg_exporter_"))
    .map(({ name, labels }) => `${name}${JSON.stringify({ ...labels, server: "" })}`)
    .sort();
}

test("only the label server separates servers with the same ids", async () => {
  const at = Date.now();
  const [first, second] = await Promise.all([simulateServer(), simulateServer()]);
  for (const simulator of [first, second]) simulator.freezeAt(at);
  const { exporter, page } = await monitor({ hq: first.url, branch: second.url });
  expect(await exporter.pollOnce(AbortSignal.timeout(20_000))).toBe(true);
  const samples = await page();
  expect(upOf(samples)).toEqual({ hq: "1", branch: "1" });
  const world = worldOf(samples, "hq");
  expect(world.length).toBeGreaterThan(300);
  expect(worldOf(samples, "branch")).toEqual(world);
});

test("a late server and a failing server change only their own series", async () => {
  const port = await freePort();
  const steady = await simulateServer();
  const { exporter, page } = await monitor({ hq: steady.url, late: `http://127.0.0.1:${port}` });
  expect(await exporter.pollOnce(AbortSignal.timeout(20_000))).toBe(false);
  const before = await page();
  expect(upOf(before)).toEqual({ hq: "1", late: "0" });
  const late = await simulateServer({ port });
  // The breaker delays requests for some seconds.
  await vi.waitFor(async () => expect(await exporter.pollOnce(AbortSignal.timeout(20_000))).toBe(true), {
    timeout: 40_000,
    interval: 250,
  });
  const both = await page();
  expect(upOf(both)).toEqual({ hq: "1", late: "1" });
  const infos = (samples: readonly ParsedSample[], server: string) =>
    worldOf(samples, server).filter((series) => series.startsWith("prtg_sensor_info"));
  expect(infos(both, "late")).toHaveLength(30);
  expect(infos(both, "hq")).toEqual(infos(before, "hq"));
  await late.close();
  expect(await exporter.pollOnce(AbortSignal.timeout(20_000))).toBe(false);
  const after = await page();
  expect(upOf(after)).toEqual({ hq: "1", late: "0" });
  // The last state stays until it expires.
  for (const server of ["hq", "late"]) expect(infos(after, server)).toEqual(infos(both, server));
});
