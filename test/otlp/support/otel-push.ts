import { pino } from "pino";
import { Counter, Registry } from "prom-client";
import { onTestFinished } from "vitest";
import type { MetricFamily } from "../../../src/mapping/families/family.ts";
import { CHANNEL_LABEL_NAMES, TREE_FAMILIES } from "../../../src/mapping/metric-table.ts";
import type { OtlpProtocol } from "../../../src/otlp/environment.ts";
import { OtlpMeasurementSink } from "../../../src/otlp/measurement-sink.ts";
import { OtelPlacement, OtelProfile } from "../../../src/otlp/otel-placement.ts";
import type { DeviceFacts, DeviceLookup } from "../../../src/otlp/resources.ts";
import { SCHEMA_URL } from "../../../src/otlp/semantic-conventions.ts";
import { startStatePush } from "../../../src/otlp/state-push.ts";
import { Store } from "../../../src/store/store.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { RESOURCE, recordedObserver, SCOPE, testExporter } from "./otlp-exporter.ts";
import { startReceiver } from "./otlp-http-receiver.ts";

export const NOON = Date.UTC(2026, 0, 15, 12);

/** A family as preset rules make it. */
export function mapped(name: string, ...ruleLabels: readonly string[]): MetricFamily {
  const labels = ["server", ...CHANNEL_LABEL_NAMES.filter((label) => label !== "unit"), ...ruleLabels];
  return { name, type: "gauge", help: `${name}, as a preset has it.`, labels };
}

export const MAPPED = {
  cpu: mapped("prtg_cpu_usage_ratio"),
  temperature: mapped("prtg_temperature_celsius"),
  traffic: mapped("prtg_interface_traffic_bytes_per_second", "direction"),
  disk: mapped("prtg_disk_free_bytes", "disk"),
} as const;

/** Labels and devices of a few sensors. One device has a DNS name. */
export class TwoDevices implements DeviceLookup {
  readonly devices = new Map<string, DeviceFacts>([
    [
      "2001",
      {
        id: "2001",
        name: "Core switch",
        host: "10.0.0.1",
        probe: "Probe",
        group: "Net",
        path: "Probe/Net/Core switch",
      },
    ],
    ["2002", { id: "2002", name: "Web", host: "web.example.com", probe: "Probe", group: "Net", path: "Probe/Net/Web" }],
  ]);
  /** The device of 42 is invisible. */
  readonly sensors = new Map([
    ["40", "2001"],
    ["41", "2002"],
    ["42", "2003"],
  ]);

  device(_server: string, id: string): DeviceFacts | undefined {
    return this.devices.get(id);
  }

  ofSensor(_server: string, sensorId: string): DeviceFacts | undefined {
    return this.devices.get(this.sensors.get(sensorId) ?? "");
  }

  sensorLabels(id: string): readonly string[] {
    const { name = "Hidden", path = "Probe/Net/Hidden" } = this.ofSensor("hq", id) ?? {};
    return ["hq", id, "Probe", "Net", name, `Sensor ${id}`, `${path}/Sensor ${id}`];
  }

  channelLabels(id: string, channelId: string): readonly string[] {
    const [server = "", sensorId = "", probe = "", group = "", device = "", sensor = "", path = ""] =
      this.sensorLabels(id);
    return [server, sensorId, channelId, probe, group, device, sensor, `Channel ${channelId}`, "#", path];
  }

  mappedLabels(id: string, channelId: string, ...own: readonly string[]): readonly string[] {
    return [...this.channelLabels(id, channelId).filter((_, column) => column !== 8), ...own];
  }
}

export async function pushOtel(
  protocol: OtlpProtocol,
  options: { readonly maxRequestBytes?: number } = {},
  answer?: Parameters<typeof startReceiver>[0],
) {
  const inventory = new TwoDevices();
  const receiver = await startReceiver(answer);
  const clock = new ManualClock(NOON);
  const profile = new OtelProfile(RESOURCE);
  const placement = new OtelPlacement(profile, inventory);
  const scope = { ...SCOPE, schemaUrl: SCHEMA_URL };
  const store = new Store([...Object.values(TREE_FAMILIES), ...Object.values(MAPPED)]);
  const registry = new Registry();
  new Counter({
    name: "prtg_exporter_scrapes_total",
    help: "Pages.",
    labelNames: ["format"],
    registers: [registry],
  }).inc({ format: "text" }, 4);
  const exporter = await testExporter({ endpoint: receiver.url, protocol, ...options });
  const observer = recordedObserver();
  const families = [MAPPED.cpu, MAPPED.temperature, MAPPED.traffic, MAPPED.disk] as const;
  const own = [[], [], ["in"], ["C:"]] as const;
  const sink = new OtlpMeasurementSink({
    ...{ exporter, resource: RESOURCE, scope, observer },
    // Channels 0 to 3 follow presets.
    describe: (sensorId, channelId) => {
      const family = families[Number(channelId)];
      return family === undefined
        ? [{ family: TREE_FAMILIES.channelValue, labels: inventory.channelLabels(sensorId, channelId) }]
        : [{ family, labels: inventory.mappedLabels(sensorId, channelId, ...(own[Number(channelId)] ?? [])) }];
    },
    placement: {
      place: (family, labels) => placement.place(family, labels),
      deviceOf: (sensorId) => inventory.ofSensor("hq", sensorId)?.id,
    },
  });
  const push = startStatePush({
    ...{ exporter, observer, resource: RESOURCE, scope, store, registry, placement, clock },
    countingSince: NOON - 60_000,
    measured: new Set([TREE_FAMILIES.channelValue.name, ...families.map(({ name }) => name)]),
    ends: { endOf: () => NOON + 1, holds: () => false },
    sensorStatus: "current",
    intervalMs: 3_600_000,
    timeoutMs: 30_000,
    log: pino({ level: "silent" }),
  });
  onTestFinished(() => push.stop(0));
  return { inventory, receiver, store, sink, observer, clock, push };
}
