import { readFileSync } from "node:fs";
import { describe, expect, it, test } from "vitest";
import { violations } from "../../../scripts/contract/compare.ts";
import { type Contract, currentContract } from "../../../scripts/contract/contract.ts";

const ROOT = new URL("../../../", import.meta.url);
const read = (file: string) => readFileSync(new URL(file, ROOT), "utf8");

describe("the contract", () => {
  test("keeps what the last release promised, and the change log names the rest", async () => {
    const released: Contract = JSON.parse(read("api/contract-released.json"));
    const [, notes = ""] = read("CHANGELOG.md").split(/^## /m).slice(0, 2);
    expect(notes).toMatch(/^(Unreleased|\d+\.\d+\.\d+)/);
    expect(violations(released, await currentContract(), notes)).toEqual([]);
  });

  it.each([
    ["metrics", "prtg_sensor_status_code", { stability: "STABLE", type: "gauge" }],
    ["metrics", "prtg_dependency_info", { stability: "EXPERIMENTAL" }],
    ["configuration", "servers[].url", { stability: "STABLE", required: true }],
    ["configuration", "otlp.interval", { stability: "STABLE", type: "duration" }],
    ["configuration", "metrics.dependency_info", { stability: "EXPERIMENTAL", default: false }],
    ["configuration", "collectors.details.enabled", { stability: "EXPERIMENTAL" }],
    ["commands", "serve --config.file", { flags: "--config.file <path>" }],
    ["commands", "backfill --from", { required: true }],
    ["endpoints", "/metrics", { stability: "STABLE" }],
    ["endpoints", "/debug/explain", { stability: "EXPERIMENTAL" }],
    ["errors", "API_TIMEOUT", { stability: "STABLE" }],
    ["events", "prtg.status.message", { stability: "STABLE" }],
    ["chart", "replicaCount", { default: 1 }],
    ["state", "prtg-exporter watermarks", { version: 1 }],
  ] as const)("has in %s: %s", async (section, name, facts) => {
    expect((await currentContract())[section][name]).toMatchObject(facts);
  });
});
