import { readFileSync } from "node:fs";
import { expect, onTestFinished, test, vi } from "vitest";
import { Exporter } from "../../src/app/exporter.ts";
import { loadConfig } from "../../src/config/load.ts";
import { negotiateFormat } from "../../src/exposition/negotiate.ts";
import type { Clock } from "../../src/lib/clock.ts";
import { certificatePath, keyPair } from "../support/certificates.ts";
import { FixedStartClock } from "../support/fixed-start-clock.ts";
import { freePort } from "../support/free-port.ts";
import { testContext } from "../support/simulated-exporter.ts";
import { CREDENTIALS, simulateServer } from "../support/simulated-server.ts";
import { parsePage } from "./support/page-parser.ts";
import { PageView } from "./support/page-view.ts";
import { TruthChecker } from "./support/truth.ts";

const SCHEDULES =
  "health: { schedule: 1s }, tree: { schedule: 1s }, status: { schedule: 1s }, channels: { schedule: 1s }";

/** In real time. `servers`: YAML by name. */
async function monitor(servers: Readonly<Record<string, string>>, clock: Clock) {
  const list = Object.entries(servers).map(
    ([name, more]) =>
      `  - { name: ${name}, auth: { api_key: "\${KEY}" }, limits: { timeout: 20s, requests_per_second: 100 }, ${more} }\n`,
  );
  const { config } = await loadConfig({
    file: certificatePath("prtg.yaml"),
    env: { KEY: CREDENTIALS.apiKey },
    readFile: async (path) =>
      path.endsWith("prtg.yaml")
        ? `servers:\n${list.join("")}collectors: { ${SCHEDULES} }\n`
        : readFileSync(path, "utf8"),
  });
  const exporter = new Exporter(config, testContext(clock));
  onTestFinished(() => exporter.stop());
  void exporter.start();
  return async (format: "text" | "openmetrics"): Promise<PageView> => {
    await exporter.exposition.refresh();
    const accept = format === "text" ? "text/plain" : "application/openmetrics-text";
    const page = await exporter.exposition.page(negotiateFormat({ accept }), "identity");
    return new PageView(parsePage(Buffer.concat(page).toString(), format));
  };
}

test("the exporter reports unknown names, closed ports and untrusted certificates without effect on other servers", async () => {
  const clock = new FixedStartClock();
  const [sound, expired, foreign, plain] = await Promise.all([
    simulateServer({ clock }),
    simulateServer({ clock, tls: keyPair("expired") }),
    simulateServer({ clock, tls: keyPair("prtg.example.com") }),
    simulateServer({ clock }),
  ]);
  const page = await monitor(
    {
      sound: `url: "${sound.url}"`,
      nameless: 'url: "http://prtg.invalid:1615"',
      closed: `url: "http://127.0.0.1:${await freePort()}"`,
      expired: `url: "${expired.url}", tls: { ca_file: ca.pem }`,
      foreign: `url: "${foreign.url}"`,
      plain: `url: "${plain.url.replace("http:", "https:")}"`,
    },
    clock,
  );
  const unreachable = ["closed", "expired", "foreign", "nameless", "plain"];
  await vi.waitFor(
    async () => {
      const view = await page("text");
      expect(view.byLabel("prtg_up", "server").get("sound")).toBe(1);
      const tried = view.samples("prtg_exporter_collector_success", { collector: "channels" });
      expect(tried.map(({ labels, value }) => [labels.get("server"), value]).toSorted()).toEqual([
        ...unreachable.slice(0, 4).map((server) => [server, 0]),
        ["plain", 0],
        ["sound", 1],
      ]);
    },
    { timeout: 40_000, interval: 200 },
  );
  for (const format of ["text", "openmetrics"] as const) {
    const view = await page(format);
    expect(view.labelsOf("prtg_sensor_status_code", "server")).toEqual(new Set(["sound"]));
    for (const server of unreachable) {
      expect(view.value("prtg_up", { server }), server).toBe(0);
      expect(new TruthChecker(server).complaints(view, clock.now(), []), server).toEqual([]);
    }
    const codes = (server: string) => view.labelsOf("prtg_exporter_api_requests_total", "code", { server });
    expect([codes("nameless"), codes("closed")]).toEqual([new Set(["connection"]), new Set(["connection"])]);
    for (const server of ["expired", "foreign", "plain"]) expect(codes(server), server).toEqual(new Set(["tls"]));
  }
});

test("the next health check trusts a corrected certificate", async () => {
  const clock = new FixedStartClock();
  const port = await freePort();
  const wrong = await simulateServer({ clock, port, tls: keyPair("expired") });
  const page = await monitor({ hq: `url: "https://localhost:${port}", tls: { ca_file: ca.pem }` }, clock);
  const up = async () => (await page("text")).value("prtg_up", { server: "hq" });
  await vi.waitFor(
    async () => expect((await page("text")).value("prtg_exporter_api_breaker_open", { server: "hq" })).toBe(1),
    { timeout: 30_000, interval: 100 },
  );
  expect(await up()).toBe(0);
  await wrong.close();
  await simulateServer({ clock, port, tls: keyPair("localhost") });
  const since = performance.now();
  await vi.waitFor(async () => expect(await up()).toBe(1), { timeout: 30_000, interval: 100 });
  // Health every second for up to a minute, plus load.
  expect(performance.now() - since).toBeLessThan(20_000);
});
