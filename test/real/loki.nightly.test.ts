import { resourceFromAttributes } from "@opentelemetry/resources";
import type { World } from "prtg-simulator/src/world/model.ts";
import { createWorld } from "prtg-simulator/src/world/world.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { EventRecord } from "../../src/events/event.ts";
import { createEventSink } from "../../src/otlp/event-sink.ts";
import { statusChange } from "../otlp/support/events.ts";
import { SCOPE, testLogExporter } from "../otlp/support/otlp-exporter.ts";
import { annotationsFrom, closedPanels, GRAFANA_DASHBOARDS, interpolate } from "../support/grafana-dashboards.ts";
import { never } from "../support/never-aborted.ts";
import { HOUR, MINUTE } from "./support/delivery-site.ts";
import { EventSite, inWords } from "./support/event-site.ts";
import { Loki, type LokiEntry } from "./support/loki.ts";
import { describeWithPrograms } from "./support/programs.ts";

const SENSORS = 600;
const STEPS = 20;
/** CI machines are shared. */
const LIMIT_MS = 600_000;

const PROTOCOLS = ["protobuf", "json"] as const;

describeWithPrograms(["loki"], "Loki", (programs) => {
  let loki: Loki;

  beforeAll(async () => {
    loki = await Loki.start(programs.loki);
  });

  afterAll(() => loki?.stop());

  describe("with events of an exporter", () => {
    const sites = new Map<string, EventSite>();
    let begin: number;
    const query = (logql: string) => loki.query(logql, begin, Date.now());

    beforeAll(async () => {
      // Loki rejects entries more than ten minutes in the future.
      begin = Math.floor((Date.now() - 2 * HOUR) / 1_000) * 1_000;
      const world = createWorld({ seed: 1, size: { sensors: SENSORS }, startedAt: Date.now() });
      addOutages(world, begin);
      const logsEndpoint = `${loki.url}/otlp`;
      for (const service of PROTOCOLS) {
        const protocol = `http/${service}` as const;
        sites.set(service, await EventSite.open({ logsEndpoint, protocol, service, world, begin }));
      }
      await Promise.all(
        [...sites.values()].map(async (site) => {
          await site.start();
          await site.run(STEPS);
          await site.untilDelivered();
        }),
      );
    }, LIMIT_MS);

    afterAll(() => Promise.all([...sites.values()].map((site) => site.close())));

    test.each(PROTOCOLS)("has all of them with their messages, as %s", async (service) => {
      const entries = await query(`{service_name="${service}"} | event_name=~"prtg.*.status_change"`);
      const expected = sites.get(service)?.expected();
      expect(entries.filter(isSeen).map(changeTold).toSorted()).toEqual(expected);
      expect(expected?.length).toBeGreaterThan(50);
      expect(new Set(entries.map(({ labels }) => labels.log_record_uid)).size).toBe(entries.length);
    });

    test("finds events by severity and by word", async () => {
      const lines = (entries: readonly LokiEntry[]) => entries.map(({ line }) => line);
      const down = await query(`{service_name="json"} | severity_text="ERROR"`);
      expect(down.length).toBeGreaterThan(10);
      expect(down.every(({ labels }) => labels.detected_level === "error")).toBe(true);
      expect(lines(await query(`{service_name="json"} |= "PE018"`))).toContainEqual(expect.stringContaining("Timeout"));
    });

    const chosen = new Map([
      ["service", "json"],
      ["server", "hq"],
      ...["probe", "group", "device", "sensor"].map((name) => [name, ".*"] as const),
    ]);
    const queries = GRAFANA_DASHBOARDS.flatMap((dashboard) => {
      const annotations = annotationsFrom("loki", dashboard).map(({ expr }) => expr);
      const panels = closedPanels(dashboard).flatMap(({ targets }) => targets);
      const listed = panels.filter(({ datasource }) => datasource.type === "loki").map(({ expr }) => expr);
      return [...new Set([...annotations, ...listed])].map((expr) => ({ dashboard, file: dashboard.file, expr }));
    });

    test("answers queries of dashboards", () => {
      expect(queries.length).toBeGreaterThanOrEqual(3);
    });

    test.each(queries)("answers $file: $expr", async ({ dashboard, expr }) => {
      // Every variable is used as a regular expression.
      const anything = new Map([...chosen].map(([name, value]) => [name, value === ".*" ? [".*"] : value] as const));
      const logql = interpolate(expr.replaceAll(":regex", ":raw"), dashboard.templating.list, anything);
      const entries = await query(logql);
      expect(entries.length).toBeGreaterThan(10);
      expect(entries.every(({ labels }) => labels.prtg_object_name !== "" && labels.prtg_status_new !== "")).toBe(true);
    });
  });

  describe("with default settings", () => {
    let services = 0;
    const send = async (...batches: (readonly EventRecord[])[]) => {
      const service = `service-${services++}`;
      const exporter = await testLogExporter({ logsEndpoint: `${loki.url}/otlp`, protocol: "http/json" });
      const resource = resourceFromAttributes({ "service.name": service });
      const sink = createEventSink({ exporter, resource, scope: SCOPE });
      const outcomes = [];
      for (const batch of batches) outcomes.push(await sink.send(batch, never));
      const now = Date.now();
      const entries = await loki.query(`{service_name="${service}"}`, now - 6 * HOUR, now + HOUR);
      return { outcomes, uids: entries.map(({ labels }) => Number.parseInt(labels.log_record_uid ?? "", 16)) };
    };
    const at = (number: number, ms: number) => statusChange(number, { timestamp: Date.now() + ms });

    test("keeps one of two events with the same uid and time", async () => {
      const event = at(1, 0);
      expect((await send([event], [event])).uids).toEqual([1]);
    });

    test("rejects events more than an hour before the newest one, and accepts the others", async () => {
      const { outcomes, uids } = await send([at(1, 0)], [at(2, -0.9 * HOUR), at(3, -1.1 * HOUR), at(4, 0)]);
      const message = expect.stringContaining("entry too far behind");
      expect(outcomes[1]).toMatchObject({ kind: "accepted", rejected: 1, message });
      // Probes have no uid.
      expect(uids.filter((uid) => !Number.isNaN(uid)).toSorted()).toEqual([1, 2, 4]);
    });

    test("accepts events of more than an hour in order of time", async () => {
      // Loki moves more than two hours to disk, where queries find it later.
      const { outcomes, uids } = await send([at(1, -1.9 * HOUR), at(2, -0.9 * HOUR), at(3, 0)]);
      expect(outcomes).toEqual([{ kind: "accepted", rejected: 0, message: "" }]);
      expect(uids).toEqual([1, 2, 3]);
    });
  });
});

/** Observed by a poll. */
function isSeen({ labels }: LokiEntry): boolean {
  return labels.prtg_event_inferred !== "true";
}

function changeTold({ labels, time }: LokiEntry): string {
  const { prtg_object_id: id = "", prtg_status_new: status = "", prtg_status_message: message = "" } = labels;
  const at = labels.observed_timestamp === String(time) ? undefined : Number(time / 1_000_000n);
  return inWords(id, status, at, message);
}

function addOutages(world: World, begin: number): void {
  for (const [index, start] of [12, 40, 70].entries()) {
    world.addIncident(world.list("device")[index]?.id ?? "", {
      ...{ start: begin + start * MINUTE, lengthMs: 20 * MINUTE, everyMs: 20 * MINUTE, times: 1 },
      effect: { kind: "status", status: "down", message: "Timeout (code: PE018) \u{1f600}" },
    });
  }
}
