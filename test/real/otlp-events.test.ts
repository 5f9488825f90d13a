import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { StatusEffect, World } from "prtg-simulator/src/world/model.ts";
import { createWorld } from "prtg-simulator/src/world/world.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ReceivedLogRecord } from "../otlp/support/decode-logs.ts";
import { freePort } from "../support/free-port.ts";
import { MINUTE } from "./support/delivery-site.ts";
import { changesTold, EventSite } from "./support/event-site.ts";
import { FLUSH_MS, type OtelCollector, startOtelCollector } from "./support/otel-collector.ts";
import { describeWithPrograms } from "./support/programs.ts";
import { receivedLogs } from "./support/received-batches.ts";

const SENSORS = 600;
/** CI machines are shared. */
const LIMIT_MS = 900_000;

const PROTOCOLS = ["protobuf", "json"] as const;

describeWithPrograms(["otel-collector"], "OpenTelemetry Collector", (programs) => {
  const folder = mkdtempSync(path.join(tmpdir(), "prtg-exporter-collector-"));
  const sites = new Map<string, EventSite>();
  let collector: OtelCollector;
  const received = new Map<string, readonly ReceivedLogRecord[]>();

  beforeAll(async () => {
    const options = { binary: programs["otel-collector"], folder, port: await freePort() };
    collector = await startOtelCollector(options);
    const begin = Math.floor(Date.now() / 1_000) * 1_000;
    const world = createWorld({ seed: 1, size: { sensors: SENSORS }, startedAt: begin });
    addIncidents(world, begin);
    for (const service of PROTOCOLS) {
      const protocol = `http/${service}` as const;
      sites.set(service, await EventSite.open({ logsEndpoint: collector.url, protocol, service, world, begin }));
    }
    const each = (act: (site: EventSite) => Promise<void>) => Promise.all([...sites.values()].map(act));
    await each(async (site) => {
      await site.start();
      await site.run(12);
      await site.untilDelivered();
      await site.kill();
      await site.run(6);
      await site.start();
      await site.run(6);
      await site.untilDelivered();
    });
    await collector.stop();
    await each(async (site) => {
      await site.run(6);
      // Pending events are on disk.
      await site.kill();
      await site.start();
      await site.run(6);
    });
    collector = await startOtelCollector(options);
    await each(async (site) => {
      await site.run(6);
      await site.untilDelivered();
    });
    // Time for unexpected events.
    await sleep(10 * FLUSH_MS);
    await collector.stop();
    for (const [service, logs] of await receivedLogs(collector.logsFile)) {
      received.set(
        service,
        logs.flatMap(({ records }) => records),
      );
    }
  }, LIMIT_MS);

  afterAll(async () => {
    await Promise.all([...sites.values()].map((site) => site.close()));
    await collector?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  test.each(PROTOCOLS)(
    "receives all visible status changes with their messages as %s, despite SIGKILL and an hour's outage",
    (service) => {
      const expected = sites.get(service)?.expected() ?? [];
      expect(changesTold(received.get(service) ?? [])).toEqual(expected);
      expect(expected.length).toBeGreaterThan(100);
      expect(expected.filter((change) => change.endsWith(ODD_MESSAGE)).length).toBeGreaterThan(3);
    },
  );

  test.each(PROTOCOLS)("receives each once in order, as %s", (service) => {
    const records = received.get(service) ?? [];
    expect(new Set(records.map(({ attributes }) => attributes["log.record.uid"])).size).toBe(records.length);
    const seen = records.map(({ observed }) => observed);
    expect(seen).toEqual(seen.toSorted((a, b) => Number(a - b)));
  });

  test.each(PROTOCOLS)("receives self-describing records, as %s", (service) => {
    const records = received.get(service) ?? [];
    expect(new Set(records.map(({ eventName }) => eventName))).toEqual(
      new Set(["prtg.sensor.status_change", "prtg.node.status_change"]),
    );
    const odd = records.find(({ attributes }) => attributes["prtg.status.message"] === ODD_MESSAGE);
    expect(odd).toMatchObject({
      severityNumber: 17,
      severityText: "ERROR",
      body: expect.stringContaining(ODD_MESSAGE),
    });
  });
});

const ODD_MESSAGE = "Zeit\u00fcberschreitung \u{1f600} <script>alert(1)</script> (code: PE018)";

/** Besides the world's own: while exporter, collector or both are down. */
function addIncidents(world: World, begin: number): void {
  const devices = world.list("device");
  const happens = (id: string | undefined, start: number, effect: StatusEffect) =>
    world.addIncident(id ?? "", {
      ...{ start: begin + start * MINUTE, lengthMs: 40 * MINUTE, everyMs: 40 * MINUTE, times: 1 },
      effect,
    });
  for (const [index, start] of [12, 70, 130, 160].entries()) {
    happens(devices[index]?.id, start, { kind: "status", status: "down", message: ODD_MESSAGE });
  }
  happens(devices.at(-1)?.id, 40, { kind: "status", status: "pausedbyschedule", message: undefined });
}
