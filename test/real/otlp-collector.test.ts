import { afterAll, beforeAll, expect, test } from "vitest";
import { DeliverySite, type Route } from "./support/delivery-site.ts";
import { describeWithPrograms } from "./support/programs.ts";
import type { Span } from "./support/received-points.ts";
import { differencesFromRecord, simulatedRecord } from "./support/simulated-record.ts";

const SENSORS = 2_600;
const MINUTES = 60;
/** OpenTelemetry's SDK drops data above this. */
const SDK_LIMIT = 2_000;
/** CI machines are shared. */
const LIMIT_MS = 1_200_000;

describeWithPrograms(["otel-collector"], `OpenTelemetry Collector in an hour of ${SENSORS} sensors`, (programs) => {
  let site: DeliverySite;
  let routes: readonly Route[];
  let hour: Span;

  beforeAll(async () => {
    site = await DeliverySite.open({ collector: programs["otel-collector"], sensors: SENSORS });
    routes = [await site.route("json", "http/json"), await site.route("protobuf", "http/protobuf")];
    const exporters = await Promise.all(routes.map((route) => site.startExporter(route)));
    await Promise.all(exporters.map((exporter) => exporter.ready()));
    await site.run(MINUTES);
    hour = { from: site.begin, to: site.now };
    for (const route of routes) await site.untilDelivered(route, hour);
    await site.finish();
  }, LIMIT_MS);

  afterAll(() => site?.close());

  test.each(["json", "protobuf"])("receives every measurement once, in order, as %s", (service) => {
    const received = routes.find((route) => route.service === service)?.received;
    expect(simulatedRecord(site.world, hour).toArray().length).toBeGreaterThan(5 * SDK_LIMIT);
    expect(received && differencesFromRecord(received, site.world, [hour])).toEqual([]);
    expect(received).toMatchObject({ repeated: 0, outOfOrder: [] });
  });
});
