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

  it("marks deprecated names", async () => {
    const contract = await currentContract([
      { kind: "key", name: "servers[].limits.timeout", since: "1.1.0", use: "use `servers[].timeout`" },
      { kind: "flag", name: "serve --once", since: "1.2.0", use: "use `check`" },
      { kind: "metric", name: "prtg_up", since: "1.3.0", use: "use `prtg_server_up`" },
    ]);
    expect(contract.configuration["servers[].limits.timeout"]?.deprecated).toBe("1.1.0: use `servers[].timeout`");
    expect(contract.commands["serve --once"]?.deprecated).toBe("1.2.0: use `check`");
    expect(contract.metrics.prtg_up).toMatchObject({ type: "gauge", deprecated: "1.3.0: use `prtg_server_up`" });
  });

  it("refuses a deprecated name that does not exist", async () => {
    const names = [{ kind: "key", name: "serves[].url", since: "1.1.0", use: "" }] as const;
    await expect(currentContract(names)).rejects.toThrow("the deprecated key serves[].url does not exist");
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
