import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { keepEventReceiver } from "../../src/app/event-outputs.ts";
import { connectEventReceiver, type EventReceiver, rowPlacement } from "../../src/app/otlp-receiver.ts";
import { OtelProfile } from "../../src/otlp/otel-placement.ts";
import { otlpSettings } from "../../src/otlp/settings.ts";
import { createStateFiles } from "../../src/state/state-files.ts";
import { statusChange } from "../otlp/support/events.ts";
import { RESOURCE } from "../otlp/support/otlp-exporter.ts";
import { startReceiver } from "../otlp/support/otlp-http-receiver.ts";
import { never } from "../support/never-aborted.ts";
import { testContext } from "../support/simulated-exporter.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { loadTestConfig } from "../support/test-config.ts";

async function connect(folder: string, otlp: string, env: NodeJS.ProcessEnv = {}): Promise<EventReceiver> {
  const yaml = `servers: [{ url: "https://prtg", auth: { api_key: "\${KEY}" } }]\notlp: { ${otlp} }`;
  const config = await loadTestConfig(yaml, "K".repeat(56));
  const { logs } = otlpSettings(env, config.otlp);
  if (logs === undefined) throw new Error("no settings of logs");
  const receiver = await connectEventReceiver(logs, config, createStateFiles(folder), testContext());
  onTestFinished(() => receiver.close());
  return receiver;
}

test("events go to the configured receiver with the instance id of the metrics", async () => {
  const receiver = await startReceiver();
  const folder = temporaryFolder({ "instance-id": "the-instance\n" });
  const otlp = `events: true, logs_endpoint: "${receiver.url}/otlp", service_name: monitoring`;
  const events = await connect(folder, otlp);
  expect(events.address).toEqual({ url: `${receiver.url}/otlp/v1/logs`, protocol: "http/protobuf" });
  expect(await events.openSink("hq").send([statusChange(1)], never)).toMatchObject({ kind: "accepted" });
  expect(receiver.requests[0]?.headers).toMatchObject({ "user-agent": expect.stringMatching(/^prtg-exporter\/\S+$/) });
  const [sent] = receiver.requests[0]?.logs ?? [];
  expect(sent).toMatchObject({
    resource: { "service.name": "monitoring", "service.instance.id": "the-instance" },
    scope: { name: "prtg-exporter" },
  });
});

test("the device of a measurement belongs to the server of the measurement", () => {
  const device = { id: "40", name: "sw-1", host: undefined, probe: "", group: "", path: "sw-1" };
  const lookup = {
    device: () => undefined,
    ofSensor: (server: string, id: string) => (server === "hq" && id === "50" ? device : undefined),
  };
  const devices = ["hq", "dc"].map((server) => rowPlacement(new OtelProfile(RESOURCE), server, lookup).deviceOf("50"));
  expect(devices).toEqual(["40", undefined]);
});

test("a reload keeps connections only to an unchanged receiver", async () => {
  const receiver = await startReceiver();
  const folder = temporaryFolder({ header: "one" });
  const header = join(folder, "header");
  const otlp = `events: true, endpoint: "${receiver.url}", header_files: { x-tenant: ${header} }`;
  const before = await connect(folder, otlp);
  expect(await keepEventReceiver(await connect(folder, otlp), before)).toBe(before);
  expect(await keepEventReceiver(await connect(folder, otlp), undefined)).not.toBe(before);
  expect(await keepEventReceiver(undefined, before)).toBeUndefined();
  const slower = await connect(folder, `${otlp}, timeout: 3s`);
  expect(await keepEventReceiver(slower, before)).toBe(slower);
  const env = { OTEL_EXPORTER_OTLP_LOGS_HEADERS: "x-other=1" };
  expect(await keepEventReceiver(await connect(folder, otlp, env), before)).not.toBe(before);
  writeFileSync(header, "two");
  expect(await keepEventReceiver(await connect(folder, otlp), before)).not.toBe(before);
  expect(await before.openSink("hq").send([statusChange(1)], never)).toMatchObject({ kind: "accepted" });
});
