import { pino } from "pino";
import { expect, onTestFinished, test, vi } from "vitest";
import { Exporter } from "../../src/app/exporter.ts";
import { negotiateFormat } from "../../src/exposition/negotiate.ts";
import { ExtraWork } from "../../src/lib/extra-work.ts";
import { FixedStartClock } from "../support/fixed-start-clock.ts";
import { never } from "../support/never-aborted.ts";
import { testContext } from "../support/simulated-exporter.ts";
import { simulateServer } from "../support/simulated-server.ts";
import { loadTestConfig } from "../support/test-config.ts";

const PATIENCE = { timeout: 60_000, interval: 100 };

test("a busy process serves values and statuses, and defers time series", async () => {
  const clock = new FixedStartClock();
  const servers = [await simulateServer({ clock }), await simulateServer({ clock })];
  const yaml = `
servers: [${servers.map(({ url }, index) => `{ name: s${index}, url: "${url}", auth: { api_key: "\${KEY}" }, limits: { requests_per_second: 1000 } }`).join(", ")}]
collectors: { channels: { schedule: 1s }, status: { schedule: 1s }, timeseries: { mode: all, schedule: 2s } }
`;
  const config = await loadTestConfig(yaml);
  let busy = true;
  let busyMs = 0;
  const lines: string[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line).msg) });
  // Longer than between two measurements on any machine.
  const eventLoopBusyMs = () => {
    if (busy) busyMs += 60_000;
    return busyMs;
  };
  const exporter = new Exporter(config, { ...testContext(clock), log, eventLoopBusyMs });
  onTestFinished(() => exporter.stop());
  expect(await exporter.start()).toBe(true);
  const samples = async () => {
    const page = Buffer.concat(await exporter.exposition.page(negotiateFormat({}), "identity")).toString();
    const values = [...page.matchAll(/^(prtg_up|prtg_exporter_\w+)(\{[^}]*\})? (\S+)$/gm)];
    return new Map(values.map(([, name, labels = "", value]) => [`${name}${labels}`, Number(value)]));
  };
  const deferred = 'prtg_exporter_extra_reads_deferred_total{collector="timeseries"}';
  const polled = (page: ReadonlyMap<string, number>) =>
    page.get('prtg_exporter_collector_last_success_timestamp_seconds{server="s1",collector="channels"}') ?? 0;
  const before = await samples();
  const pressed = await vi.waitFor(async () => {
    const page = await samples();
    expect(page.get(deferred)).toBeGreaterThan(0);
    expect(page.get("prtg_exporter_extra_held_back")).toBe(1);
    expect(page.get("prtg_exporter_event_loop_utilization_ratio")).toBeGreaterThan(0.7);
    expect(polled(page)).toBeGreaterThan(polled(before) + 3);
    return page;
  }, PATIENCE);
  for (const server of ["s0", "s1"]) {
    expect(pressed.get(`prtg_up{server="${server}"}`)).toBe(1);
    for (const collector of ["channels", "status", "tree", "limits"]) {
      const success = `prtg_exporter_collector_success{server="${server}",collector="${collector}"}`;
      expect(pressed.get(success), success).toBe(1);
    }
  }
  const about = lines.filter((line) => line.startsWith("the exporter is busy"));
  expect(about).toHaveLength(1);
  busy = false;
  await vi.waitFor(async () => {
    const page = await samples();
    expect(page.get("prtg_exporter_event_loop_utilization_ratio")).toBeLessThan(0.7);
    expect(page.get('prtg_exporter_extra_reads_waiting{collector="timeseries"}')).toBe(0);
  }, PATIENCE);
});

test("optional reads pause during a page transfer", async () => {
  const { url } = await simulateServer();
  const yaml = `servers: [{ name: s, url: "${url}", auth: { api_key: "\${KEY}" } }]`;
  const config = await loadTestConfig(yaml);
  const exporter = new Exporter(config, testContext());
  onTestFinished(() => exporter.stop());
  const pauseFor = vi.spyOn(ExtraWork.prototype, "pauseFor");
  onTestFinished(() => pauseFor.mockRestore());
  const used = Promise.resolve();
  const reader = { used, gone: never, cut: () => undefined };
  const { end } = await exporter.scrapeExposition.streamedPage(negotiateFormat({}), "gzip", undefined, reader);
  await end();
  expect(pauseFor.mock.calls).toEqual([[used]]);
});
