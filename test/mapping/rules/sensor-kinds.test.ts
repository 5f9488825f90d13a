import { beforeAll, describe, expect, test } from "vitest";
import { compilePresets } from "../../../scripts/generate/preset-families.ts";
import { isCurated, mapExample } from "../../../scripts/generate/sensor-kinds/coverage.ts";
import {
  exampleNames,
  type KindTable,
  type KnownChannel,
  LANGUAGES,
  readKindTable,
} from "../../../scripts/generate/sensor-kinds/table.ts";
import { PRESET_NAMES } from "../../../src/config/mapping-schema.ts";
import type { RuleSet } from "../../../src/mapping/rules/rule-set.ts";

const KIND_TABLE: KindTable = await readKindTable();
const CHANNELS = Object.entries(KIND_TABLE.kinds).flatMap(([kind, { evidence, channels }]) =>
  channels.map((channel) => ({ kind, evidence, channel })),
);
let rules: RuleSet;

beforeAll(async () => {
  rules = await compilePresets(PRESET_NAMES);
});

/** As `name{label=value}`. */
function seriesOf(kind: string, name: string, unit: string): string {
  const mapping = mapExample(rules, kind, name, unit);
  if (mapping?.kind !== "metric") return mapping?.kind ?? "nothing";
  const { name: family, ruleLabels } = mapping.family;
  return `${family}{${ruleLabels.map((label, index) => `${label}=${mapping.labels[index]}`).join()}}`;
}

function expectedSeries({ metric = "" }: KnownChannel, labels: Readonly<Record<string, string>>): string {
  const sorted = Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1));
  return `${metric}{${sorted.map(([label, value]) => `${label}=${value}`).join()}}`;
}

/** The data set's spelling. */
function simplified(name: string): string {
  return name
    .toLowerCase()
    .replaceAll("%", "percent")
    .replaceAll(/[^\p{L}\p{N} ]/gu, "");
}

describe.each(LANGUAGES)("names in the language %s", (language) => {
  test("give the metric and labels of the table", () => {
    for (const { kind, channel } of CHANNELS) {
      for (const { name, labels } of exampleNames(channel, language)) {
        const found = seriesOf(kind, name, channel.unit);
        expect(`${kind} ${name}: ${found}`).toBe(`${kind} ${name}: ${expectedSeries(channel, labels)}`);
      }
    }
  });

  test("match the data set, with suffixes of rates and texts of lookups", () => {
    for (const { kind, channel } of CHANNELS) {
      const isRate = channel.metric?.endsWith("per_second");
      const suffixes = ["", ...(isRate ? [" speed", " (Geschwindigkeit)"] : channel.text.map((text) => ` ${text}`))];
      for (const { name } of exampleNames(channel, language)) {
        for (const suffix of suffixes) {
          const found = seriesOf(kind, `${simplified(name)}${simplified(suffix)}`, channel.unit);
          expect(`${kind} ${name}${suffix}: ${found}`).toContain(`: ${channel.metric}{`);
        }
      }
    }
  });

  test("cover at least 95 % of the channels of the data set's kinds without base-units", () => {
    const recorded = CHANNELS.filter(({ evidence }) => evidence === "open-dataset");
    const curated = recorded.filter(({ kind, channel }) => isCurated(rules, kind, channel, language));
    expect(curated.length / recorded.length).toBeGreaterThanOrEqual(0.95);
  });
});

test("the data set has 76 kinds", () => {
  const recorded = Object.values(KIND_TABLE.kinds).filter(({ evidence }) => evidence === "open-dataset");
  expect(recorded).toHaveLength(76);
});

test.each([
  ["sshloadavg", "1 minute", "", "prtg_load_average{window=1m}"],
  ["sshloadaverage", "1 minute", "", "nothing"],
  ["vcenterserverextern", "CPU usage", "%", "prtg_cpu_usage_ratio{}"],
  ["esxvirtualmachinesensorextern", "CPU usage", "%", "prtg_channel_ratio{}"],
  ["wmidiskspace", "Freie Bytes D", "GByte", "prtg_disk_free_bytes{disk=D}"],
  ["wmidiskspace", "Freier Platz D:\\", "%", "prtg_disk_free_ratio{disk=D:\\}"],
  ["snmplinuxdiskfree", "Free Bytes /var", "GByte", "prtg_disk_free_bytes{disk=/var}"],
  ["wminetwork", "Total (Geschwindigkeit)", "kbit/s", "prtg_interface_traffic_combined_bytes_per_second{}"],
  ["snmptraffic", "Errors In", "#", "prtg_interface_errors{direction=in}"],
  ["snmptraffic", "Errors In", "#/s", "prtg_interface_error_packets_per_second{direction=in}"],
  ["snmpprintergeneric", "Toner Schwarz OK (87)", "%", "prtg_printer_supply_ratio{supply=Toner Schwarz}"],
  ["sslcertificate", "Days to Expiration", "#", "prtg_certificate_expiry_seconds{}"],
  ["ssl", "TLS 1.2 (Perfect)", "", "prtg_tls_protocol_state{protocol=TLS 1.2}"],
])("%s, %s in %j gives %s", (kind, name, unit, series) => {
  expect(seriesOf(kind, name, unit)).toBe(series);
});
