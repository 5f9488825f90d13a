import { expect, onTestFinished, test } from "vitest";
import { digestConfig } from "../../src/app/config-digests.ts";
import { loadConfig } from "../../src/config/load.ts";
import type { LoggedRequest } from "../../src/simulator/server/request-log.ts";
import { startSimulatedExporter, TEST_KEY } from "../support/simulated-exporter.ts";

const ALL_SERIES = "collectors: { timeseries: { mode: all } }\n";
/** Of traffic sensors, which have the most channels, rules keep the totals. */
const KEPT_TOTALS =
  'mapping: { rules: [{ match: { kind: snmptraffic, channel: "/.*Total.*/" }, name: traffic }, { match: { kind: snmptraffic }, drop: true }] }\n';

async function started(settings: string) {
  const subject = await startSimulatedExporter({
    size: { probes: 1, groups: 2, devices: 10, sensors: 60, channels: 500 },
    settings: `${ALL_SERIES}${settings}`,
  });
  onTestFinished(subject.close);
  const { simulator, config } = subject;
  const poll = async (): Promise<readonly LoggedRequest[]> => {
    simulator.requests.reset();
    expect(await subject.poll()).toBe(true);
    return simulator.requests.recent().filter(({ route }) => route.startsWith("/experimental/timeseries/"));
  };
  const change = async (rules: string): Promise<void> => {
    const yaml = `servers: [{ name: hq, url: "${simulator.url}", auth: { api_key: "\${KEY}" }, limits: { requests_per_second: 1000 } }]\n${ALL_SERIES}${rules}`;
    const { config: next } = await loadConfig({
      file: "test.yaml",
      env: { KEY: TEST_KEY },
      readFile: async () => yaml,
    });
    const [before, digests] = await Promise.all([digestConfig(config), digestConfig(next)]);
    await subject.exporter.change(before, { config: next, digests, push: undefined, events: undefined }, 1_000);
  };
  return { ...subject, poll, change };
}

const bytesOf = (requests: readonly LoggedRequest[]): number => requests.reduce((sum, { bytes }) => sum + bytes, 0);
const part = ({ url }: LoggedRequest): string | null => new URL(url, "http://server").searchParams.get("channels");

test("series are read without the channels that rules drop, for fewer bytes and no request more", async () => {
  const [whole, some] = [await started(""), await started(KEPT_TOTALS)];
  const before = await whole.poll();
  const after = await some.poll();
  console.log(before.length, bytesOf(before), after.length, bytesOf(after), after.filter(part).length);
  expect(before.filter(part)).toEqual([]);
  expect(after.filter(part).length).toBeGreaterThan(2);
  expect(after.filter(({ status }) => status !== 200)).toEqual([]);
  expect(after.length).toBe(before.length);
  expect(bytesOf(after)).toBeLessThan(bytesOf(before));
});

test("a channel that rules drop no longer is read from the reload on", async () => {
  const { poll, change } = await started(KEPT_TOTALS);
  expect((await poll()).filter(part).length).toBeGreaterThan(0);
  await change("");
  expect((await poll()).filter(part)).toEqual([]);
});
