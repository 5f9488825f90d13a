import { describe, expect, test } from "vitest";
import { planSync } from "../../src/app/pipeline-plan.ts";
import type { Config } from "../../src/config/load.ts";
import { loadTestConfig } from "../support/test-config.ts";

const SERVER = 'url: "http://127.0.0.1:1", auth: { api_key: "${KEY}" }';
const LIMITED = (requests: number) => `limits: { requests_per_second: ${requests} }`;

async function planOf(servers: readonly string[], timeseries = "{}", pushes = true) {
  const list = servers.map((server, index) => `{ name: s${index}, ${server} }`).join(", ");
  const yaml = `servers: [${list}]\ncollectors: { timeseries: ${timeseries} }\n`;
  const config: Config = await loadTestConfig(yaml);
  const [server] = config.servers;
  if (server === undefined) throw new Error("no server");
  return planSync(server, config, pushes);
}

describe("planSync", () => {
  test("gives time series half of the request budget in each period", async () => {
    const servers = [`${SERVER}, ${LIMITED(20)}`];
    expect(await planOf(servers)).toEqual({ mode: "auto", limits: { requests: 600, periodMs: 60_000 } });
    expect(await planOf(servers, "{ mode: all, schedule: 10s }")).toEqual({
      mode: "all",
      limits: { requests: 100, periodMs: 10_000 },
    });
    expect((await planOf(servers, '{ schedule: "0 */5 * * * *" }'))?.limits).toEqual({ requests: 600, periodMs: 60_000 });
  });

  test("divides the smallest budget of entries with the same URL and user", async () => {
    const [slow, fast] = [`${SERVER}, ${LIMITED(10)}`, `${SERVER}, ${LIMITED(20)}`];
    const other = `url: "http://127.0.0.1:1", auth: { username: u, password: "\${KEY}" }`;
    const elsewhere = 'url: "http://127.0.0.1:2", auth: { api_key: "${KEY}" }';
    expect((await planOf([fast, slow, other, elsewhere]))?.limits.requests).toBe(150);
  });

  test.each([
    ["{ enabled: false }", true, "off"],
    ["{ mode: off }", true, "off"],
    ["{ mode: off }", false, undefined],
    ["{ enabled: false }", false, undefined],
    ["{}", false, "auto"],
  ] as const)("with %s and push %s has the mode %s", async (timeseries, pushes, mode) => {
    expect((await planOf([SERVER], timeseries, pushes))?.mode).toBe(mode);
  });
});
