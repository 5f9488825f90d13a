import { expect, onTestFinished, test, vi } from "vitest";
import { digestConfig } from "../../src/app/config-digests.ts";
import { Exporter } from "../../src/app/exporter.ts";
import { openOtlpPush, prepareOtlpPush } from "../../src/app/otlp-preparation.ts";
import { type Receiver, startReceiver } from "../otlp/support/otlp-http-receiver.ts";
import { FixedStartClock } from "../support/fixed-start-clock.ts";
import { testContext } from "../support/simulated-exporter.ts";
import { simulateServer } from "../support/simulated-server.ts";
import { loadTestConfig } from "../support/test-config.ts";

const GRACE_MS = 5_000;
const LIMIT = { timeout: 30_000, interval: 50 };

async function startPushing(first: (yaml: YamlOf) => string) {
  const clock = new FixedStartClock();
  const [simulator, receiver] = await Promise.all([simulateServer({ clock }), startReceiver()]);
  const yamlOf: YamlOf = (servers, otlp = "") => `
servers: [${servers.map((name) => `{ name: ${name}, url: "${simulator.url}", auth: { api_key: "\${KEY}" } }`).join(", ")}]
otlp: { endpoint: "${receiver.url}", interval: 1s, ${otlp} }
`;
  const context = testContext(clock);
  let current = await loadTestConfig(first(yamlOf));
  const exporter = new Exporter(current, context, await openOtlpPush(current, context, {}));
  onTestFinished(() => exporter.stop());
  expect(await exporter.start()).toBe(true);
  return {
    receiver,
    reload: async (text: (yaml: YamlOf) => string) => {
      const config = await loadTestConfig(text(yamlOf));
      const [before, digests] = await Promise.all([digestConfig(current), digestConfig(config)]);
      const push = await prepareOtlpPush(config, context, {});
      await exporter.change(before, { config, digests, push, events: undefined }, GRACE_MS);
      current = config;
    },
  };
}

type YamlOf = (servers: readonly string[], otlp?: string) => string;

function familiesOf({ points }: Receiver, server: string, isEnd: boolean): Set<string> {
  const found = points.filter(({ attributes, ended = false }) => attributes.server === server && ended === isEnd);
  return new Set(found.map(({ metric }) => metric).filter((metric) => !metric.startsWith("prtg.exporter_")));
}

test("a reload that removes a server ends its series and no others", async () => {
  const { receiver, reload } = await startPushing((yaml) => yaml(["hq", "second"]));
  await vi.waitFor(() => {
    expect(familiesOf(receiver, "second", false)).toContain("prtg.sensor_status");
    expect(familiesOf(receiver, "second", false)).toContain("prtg.channel_value");
  }, LIMIT);
  await reload((yaml) => yaml(["hq"]));
  await vi.waitFor(() => {
    const ended = familiesOf(receiver, "second", true);
    // The exporter's own metrics have no ends.
    const pushed = [...familiesOf(receiver, "second", false)].filter((metric) => metric !== "prtg.up");
    expect([...ended].sort()).toEqual(pushed.sort());
  }, LIMIT);
  expect(familiesOf(receiver, "hq", true)).toEqual(new Set());
});

test("a reload without series_end sends no ends and no lingering series", async () => {
  const { receiver, reload } = await startPushing((yaml) => yaml(["hq", "second"]));
  await vi.waitFor(() => expect(familiesOf(receiver, "second", false)).toContain("prtg.channel_value"), LIMIT);
  await reload((yaml) => yaml(["hq", "second"], "series_end: false"));
  // A push sends once more when it ends.
  const pushes = () => receiver.points.filter(({ metric }) => metric === "prtg.up").length;
  const before = pushes();
  await vi.waitFor(() => expect(pushes()).toBeGreaterThan(before + 2), LIMIT);
  const from = receiver.points.length;
  await reload((yaml) => yaml(["hq"], "series_end: false"));
  const since = pushes();
  await vi.waitFor(() => expect(pushes()).toBeGreaterThan(since + 2), LIMIT);
  const later = receiver.points.slice(from);
  expect(later.filter(({ ended }) => ended)).toEqual([]);
  const names = new Set(later.map(({ metric }) => metric));
  expect(names).toContain("prtg.sensor_status_code");
  expect(names).not.toContain("prtg.sensor_status");
  expect(names).not.toContain("prtg.channel_state");
});
