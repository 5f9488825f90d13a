import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openWebConfig, refuseUnknownUsers, webLimits, webObserver } from "../../src/cli/web-config.ts";
import { ExporterError } from "../../src/errors/exporter-error.ts";
import type { WebConfigSource } from "../../src/http/web-config/source.ts";
import { EXPORTER_METRICS } from "../../src/telemetry/metric-declarations.ts";
import { load } from "../config/support.ts";
import { ALICE } from "../http/web-config/cases.ts";
import { emptyMetrics } from "../support/exporter-metrics.ts";
import { testContext } from "../support/simulated-exporter.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const TEXT = `
servers: [{ name: acme, url: "https://prtg.example.com:1616", auth: { api_key: "\${KEY}" } }]
web: { users: { alice: { servers: [acme] }, "bo b": { servers: [acme] } } }
`;

test("names the users that no web configuration has, and what to do, without a promised line", async () => {
  const { config } = await load(TEXT, { KEY: "a-key" });
  const error = refusal(() => refuseUnknownUsers(config, undefined));
  expect(error.message.split("\n")).toEqual([
    "web.users.alice: expected a user of basic_auth_users in --web.config.file, which is not set",
    'web.users["bo b"]: expected a user of basic_auth_users in --web.config.file, which is not set',
  ]);
  expect([error.code, error.remedy]).toEqual(["CONFIG_INVALID", expect.stringContaining("Set --web.config.file")]);
});

/** The web configuration with these users. */
async function withUsers(...names: string[]): Promise<WebConfigSource | undefined> {
  const users = names.map((name) => `"${name}": ${ALICE}`);
  const folder = temporaryFolder({ "web.yaml": `basic_auth_users: { ${users.join(", ")} }\n` });
  return openWebConfig({ "web.config.file": join(folder, "web.yaml") }, testContext());
}

describe("web configuration", () => {
  test("is absent without its flag", async () => {
    expect(await openWebConfig({}, testContext())).toBeUndefined();
  });

  test("accepts users that it has, and names the others", async () => {
    const { config } = await load(TEXT, { KEY: "a-key" });
    const both = await withUsers("alice", "bo b");
    expect([...(both?.current.users.keys() ?? [])]).toEqual(["alice", "bo b"]);
    refuseUnknownUsers(config, both);
    const one = await withUsers("alice");
    expect(refusal(() => refuseUnknownUsers(config, one))).toMatchObject({
      code: "CONFIG_INVALID",
      message:
        'web.users["bo b"]: expected a user of basic_auth_users in --web.config.file, which has no user with this name',
      remedy: expect.stringMatching(/^Correct the name in web\.users/),
    });
  });

  test("has the limits of the flags", () => {
    const flags = {
      "web.maxConnections": 12,
      "web.maxRequests": 3,
      "web.listenAddress": [],
      "web.telemetryPath": "/m",
    };
    expect(webLimits(flags)).toEqual({ maxConnections: 12, maxRequests: 3 });
  });
});

test("what the web server reports reaches the metrics", async () => {
  const metrics = emptyMetrics();
  const observer = webObserver(() => metrics);
  observer.rejected("requests");
  observer.observed({ connections: 7, webConfigInForce: false });
  const { rejected, connections, configReloadSuccessful } = EXPORTER_METRICS.web;
  expect(await metrics.samples(rejected)).toContainEqual({ labels: { reason: "requests" }, value: 1 });
  expect((await metrics.samples(connections)).map(({ value }) => value)).toEqual([7]);
  expect((await metrics.samples(configReloadSuccessful)).map(({ value }) => value)).toEqual([0]);
});

function refusal(refuse: () => void): ExporterError {
  try {
    refuse();
  } catch (error) {
    if (error instanceof ExporterError) return error;
    throw error;
  }
  return expect.fail("no error");
}
