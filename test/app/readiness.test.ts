import { pino } from "pino";
import { expect, onTestFinished, test } from "vitest";
import { Exporter } from "../../src/app/exporter.ts";
import { serversInTime } from "../../src/app/readiness.ts";
import { rawServer } from "../prtg/support/raw-server.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { TEST_KEY, testContext } from "../support/simulated-exporter.ts";
import { loadTestConfig } from "../support/test-config.ts";

function waitFor(names: readonly string[]) {
  const clock = new ManualClock();
  const stop = new AbortController();
  const polls = new Map(names.map((name) => [name, Promise.withResolvers<void>()]));
  const promises = new Map([...polls].map(([name, { promise }]) => [name, promise]));
  let late: readonly string[] | undefined;
  const page = Promise.all(promises.values());
  void serversInTime(promises, page, clock, stop.signal).then((found) => {
    late = found;
  });
  return { clock, stop, polled: (name: string) => polls.get(name)?.resolve(), late: () => late };
}

test("waits for the first poll of each server", async () => {
  const { clock, polled, late } = waitFor(["a", "b"]);
  polled("a");
  await clock.advance(29_000);
  expect(late()).toBeUndefined();
  polled("b");
  await clock.advance(0);
  expect([late(), clock.pending]).toEqual([[], []]);
});

test("ends after 30 s and names the servers that are late", async () => {
  const { clock, polled, late } = waitFor(["a", "b", "c"]);
  polled("b");
  await clock.advance(30_000);
  expect(late()).toEqual(["a", "c"]);
});

test("ends at once with a stop", async () => {
  const { clock, stop, late } = waitFor(["a"]);
  stop.abort();
  await clock.advance(0);
  expect([late(), clock.pending]).toEqual([[], []]);
});

test("an exporter is ready after 30 s although a server accepts connections and never answers", async () => {
  const url = await rawServer(() => undefined);
  const clock = new ManualClock();
  const lines: { readonly msg: string; readonly servers?: readonly string[] }[] = [];
  const log = pino({ level: "warn" }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const config = await loadTestConfig(
    `servers: [{ name: silent, url: "${url}", auth: { api_key: "\${KEY}" } }]`,
    TEST_KEY,
  );
  const exporter = new Exporter(config, { ...testContext(clock), log });
  onTestFinished(() => exporter.stop());
  const started = exporter.start();
  await clock.advance(29_000);
  expect(exporter.ready).toBe(false);
  await clock.advance(1_000);
  expect(exporter.ready).toBe(true);
  expect(lines.find(({ msg }) => msg.startsWith("ready"))?.servers).toEqual(["silent"]);
  await exporter.stop();
  expect(await started).toBe(false);
});
