import { describe, expect, test } from "vitest";
import { checkSteps } from "../../../src/cli/check/plan.ts";
import { goesOnWithout } from "../../../src/collectors/failures.ts";
import { ApiError } from "../../../src/prtg/api-error.ts";
import type { MemoryServer } from "../../collectors/memory-server.ts";
import { channel, smallServer } from "../../collectors/small-server.ts";
import { load } from "../../config/support.ts";
import { never } from "../../support/never-aborted.ts";

const TOLD = "license: 2600 of 5000 sensors, running auto-discoveries: 2, first probe: connected, primary channels: 1";

function server(): MemoryServer {
  const api = smallServer();
  api.licenseUse = { used: 2_600, max: 5_000, expiresAt: undefined };
  api.autodiscoveries = 2;
  for (const { id, kind } of api.nodeRecords.values()) if (kind === "probe") api.connected.set(id, true);
  api.channelRecords = [channel("50.0", {}), channel("50.1", {})];
  api.primary = [channel("50.1", {})];
  return api;
}

async function steps(settings: string, select = "") {
  const auth = "auth: { api_key_file: /run/secrets/key }";
  const { config } = await load(
    `servers: [{ name: hq, url: "https://prtg.example.com:1616", ${auth}${select} }]\n${settings}`,
  );
  return config.servers.flatMap((each) => checkSteps(each, config));
}

/** Output after the probes step. */
async function checked(api: MemoryServer, select?: string): Promise<string> {
  const planned = await steps("collectors: { details: { enabled: true } }", select);
  const tools = { api, signal: never, problems: () => new Map() };
  await planned.find(({ subject }) => subject === "probes")?.run(tools);
  const result = await planned.find(({ subject }) => subject === "details")?.run(tools);
  return `${result?.status ?? "ok"}: ${result?.text}`;
}

describe("step of details", () => {
  test("appears if its collector is enabled", async () => {
    const subjects = async (settings: string) => (await steps(settings)).map(({ subject }) => subject);
    expect(await subjects("collectors: { details: { enabled: true } }")).toContain("details");
    expect(await subjects("")).not.toContain("details");
  });

  test("shows the server's details", async () => {
    expect(await checked(server())).toBe(`ok: ${TOLD}`);
    const other = server();
    other.licenseUse = { used: 7, max: undefined, expiresAt: undefined };
    for (const id of other.connected.keys()) other.connected.set(id, false);
    expect(await checked(other)).toBe(
      `ok: ${TOLD.replace("2600 of 5000", "7 of unlimited").replace(": connected", ": not connected")}`,
    );
  });

  test("names missing details", async () => {
    const api = server();
    api.licenseUse = api.autodiscoveries = api.primary = undefined;
    api.connected.clear();
    expect(await checked(api)).toBe(
      "ok: license: not sent, running auto-discoveries: not sent, first probe: not sent, primary channels: not sent",
    );
  });

  test("reports no primary channels if the server ignores the filter", async () => {
    const api = server();
    api.primary = api.channelRecords;
    expect(await checked(api)).toBe(`ok: ${TOLD.replace("channels: 1", "channels: not sent")}`);
  });

  test("omits details of the whole server if the configuration selects a part", async () => {
    const api = server();
    expect(await checked(api, ', select: { include: [{ id: "40" }] }')).toBe(
      "ok: first probe: connected, primary channels: 1",
    );
    expect(api.timesAsked("license") + api.timesAsked("autodiscoveries")).toBe(0);
  });

  test("one failure is a warning and keeps the other details", async () => {
    const api = server();
    api.fail("API_SERVER_ERROR", "license");
    expect(await checked(api)).toMatch(
      new RegExp(`^warning: ${TOLD.replace("2600 of 5000 sensors", "not read")}; .*\\[API_SERVER_ERROR\\]$`),
    );
  });

  test("all failures together fail the step, but serve continues", async () => {
    const api = server();
    api.fail("API_SERVER_ERROR", "license", "autodiscoveries", "probeConnected", "primaryChannels");
    const failure: unknown = await checked(api).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: "API_SERVER_ERROR" });
    expect(goesOnWithout("details", failure)).toBe(true);
    expect(failure).toBeInstanceOf(ApiError);
  });
});
