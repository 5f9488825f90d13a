import type { LoggedRequest } from "prtg-simulator/src/server/request-log.ts";
import { expect, onTestFinished, test } from "vitest";
import { digestConfig } from "../../src/app/config-digests.ts";
import { startSimulatedExporter, TEST_KEY } from "../support/simulated-exporter.ts";
import { loadTestConfig } from "../support/test-config.ts";

/** Reads are a second apart. A busy machine needs the longer period. */
const ALL_SERIES = "collectors: { timeseries: { mode: all, schedule: 10s } }\n";
const DROPPING =
  'mapping: { rules: [{ match: { channel: ["Processor *", "Fan *", "Power Supply *"] }, drop: true }] }\n';

async function started() {
  const subject = await startSimulatedExporter({
    size: { probes: 1, groups: 1, devices: 2, sensors: 5, channels: 50 },
    settings: `${ALL_SERIES}${DROPPING}`,
  });
  onTestFinished(subject.close);
  const { simulator, exporter } = subject;
  let { config } = subject;
  return {
    poll: async (): Promise<readonly LoggedRequest[]> => {
      simulator.requests.reset();
      expect(await subject.poll()).toBe(true);
      return simulator.requests.recent().filter(({ route }) => route.startsWith("/experimental/timeseries/"));
    },
    reload: async (rules: string): Promise<void> => {
      const yaml = `servers: [{ name: hq, url: "${simulator.url}", auth: { api_key: "\${KEY}" }, limits: { requests_per_second: 1000 } }]\n${ALL_SERIES}${rules}`;
      const next = await loadTestConfig(yaml, TEST_KEY);
      const [before, digests] = await Promise.all([digestConfig(config), digestConfig(next)]);
      await exporter.change(before, { config: next, digests, push: undefined, events: undefined }, 1_000);
      config = next;
    },
  };
}

const bytesOf = (requests: readonly LoggedRequest[]): number => requests.reduce((sum, { bytes }) => sum + bytes, 0);
const channelsOf = ({ url }: LoggedRequest): number =>
  new URL(url, "http://server").searchParams.get("channels")?.split(",").length ?? 0;

test("the exporter reads series without dropped channels, and with them after a reload", async () => {
  const { poll, reload } = await started();
  const dropping = await poll();
  // Other sensors have no such channels.
  expect(dropping.map(channelsOf).toSorted()).toEqual([0, 0, 0, 2, 5]);
  expect(dropping.filter(({ status }) => status !== 200)).toEqual([]);
  await reload("");
  const all = await poll();
  expect(all.map(channelsOf)).toEqual([0, 0, 0, 0, 0]);
  const [ofSome = 0, ofAll = 0] = [dropping, all].map((requests) =>
    bytesOf(requests.filter(({ url }) => /\/(2008|2009)\//.test(url))),
  );
  expect(ofSome).toBeLessThan(0.7 * ofAll);
});
