import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { convert } from "../../../src/mapping/units/base-units.ts";
import { loadMapping, loadRules } from "./support.ts";

const SENSOR = {
  type: "exexml",
  typeName: "EXE/Script Advanced",
  tags: [],
  inheritedTags: ["site-berlin"],
  device: "d",
  path: "p/d/s",
};

test("the example of docs/mapping.md works as described", async () => {
  const page = await readFile(new URL("../../../docs/mapping.md", import.meta.url), "utf8");
  const [, example = ""] = /```yaml\n([\s\S]*?)```/.exec(page) ?? [];
  const { ruleSet, warnings, settings } = await loadMapping(example);
  expect(warnings).toEqual([]);
  expect(settings).toMatchObject({
    keepOriginal: true,
    byteUnits: "binary",
    presets: ["ping", "snmp-traffic", "base-units"],
  });

  const orders = ruleSet.map(SENSOR, { name: "Orders", unit: "orders/min" });
  expect(orders).toMatchObject({ kind: "metric", family: { name: "shop_orders_per_second" } });
  expect(orders?.kind === "metric" && convert(orders.conversion, 120)).toBeCloseTo(2, 12);

  const rack = ruleSet.map(SENSOR, { name: "Rack 12 Temperature", unit: "°F" });
  expect(rack).toMatchObject({ family: { name: "rack_temperature_celsius", ruleLabels: ["rack", "site"] } });
  expect(rack).toMatchObject({ labels: ["12", "berlin"] });

  expect(ruleSet.map(SENSOR, { name: "Downtime", unit: "%" })?.kind).toBe("drop");
  expect(ruleSet.map(SENSOR, { name: "Traffic", unit: "Mbit/s" })).toMatchObject({
    family: { name: "prtg_channel_bytes_per_second" },
  });
});

test("rules of the configuration come before files, and files before presets", async () => {
  const rule = (name: string) => `{ match: { kind: ping, channel: Ping Time }, name: ${name}, help: X. }`;
  const files = {
    "/etc/prtg/a.yaml": `rules:\n  - ${rule("file_a")}\n`,
    "/etc/prtg/b.yaml": `rules: [${rule("file_b")}]\n`,
  };
  const sensor = { ...SENSOR, type: "ping" };
  const nameOf = async (mapping: string) => {
    const { ruleSet } = await loadMapping(`mapping: { presets: [base-units, ping], ${mapping} }\n`, files);
    const mapped = ruleSet.map(sensor, { name: "Ping Time", unit: "msec" });
    return mapped?.kind === "metric" ? mapped.family.name : mapped?.kind;
  };
  expect(await nameOf(`files: [a.yaml, b.yaml], rules: [${rule("own")}]`)).toBe("own");
  expect(await nameOf("files: [b.yaml, a.yaml]")).toBe("file_b");
  expect(await nameOf("files: []")).toBe("prtg_ping_seconds");
});

test("files of rules support variables and merge keys", async () => {
  const text = [
    "description: Rules of one site.",
    "rules:",
    "  - &ping { match: { kind: ping, path: '${SITE}/**' }, name: prtg_a, help: X. }",
    "  - { <<: *ping, match: { kind: http } }",
    "",
  ].join("\n");
  const { ruleSet } = await loadRules(text, { SITE: "Berlin" });
  const mapped = (type: string, path: string) =>
    ruleSet.map({ ...SENSOR, type, path }, { name: "x", unit: "" })?.rule.ordinal;
  expect(mapped("ping", "Berlin/a/b")).toBe(0);
  expect(mapped("ping", "Bonn/a/b")).toBeUndefined();
  expect(mapped("http", "Bonn/a/b")).toBe(1);
});

test("byte_units: decimal gives decimal sizes", async () => {
  const text = "mapping: { presets: [base-units], byte_units: decimal }\n";
  const { ruleSet } = await loadMapping(text);
  const mapped = ruleSet.map(SENSOR, { name: "Size", unit: "MB" });
  expect(mapped?.kind === "metric" && convert(mapped.conversion, 2)).toBe(2_000_000);
});
