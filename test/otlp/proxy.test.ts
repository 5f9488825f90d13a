import { X509Certificate } from "node:crypto";
import { expect, test } from "vitest";
import { Secret } from "../../src/config/secrets.ts";
import { Redactor } from "../../src/errors/redactor.ts";
import { createMeasurementSink } from "../../src/otlp/measurement-sink.ts";
import type { OtlpSection } from "../../src/otlp/settings.ts";
import { certificate, certificatePath } from "../support/certificates.ts";
import { startProxy } from "../support/connect-proxy.ts";
import { never } from "../support/never-aborted.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { deliverRows, RESOURCE, recordedObserver, SCOPE, testExporter } from "./support/otlp-exporter.ts";
import { startReceiver } from "./support/otlp-http-receiver.ts";
import { describeAll, NOON, row } from "./support/rows.ts";

const CA = certificatePath("ca.pem");
const PASSWORD = "otlp-proxy-s3cret";
const NO_PROXY = { auth: undefined, caFile: undefined };

async function deliver(section: OtlpSection, redactor = new Redactor()) {
  const exporter = await testExporter(section, { redactor });
  const options = { exporter, resource: RESOURCE, scope: SCOPE, describe: describeAll, observer: recordedObserver() };
  return deliverRows(createMeasurementSink(options), [row("40", NOON, 1)], never);
}

test.each(["http", "https"] as const)("points go through a proxy over %s with its credentials", async (scheme) => {
  const receiver = await startReceiver(() => undefined, scheme === "https" ? {} : undefined);
  const proxy = await startProxy({ credentials: `exporter:${PASSWORD}`, certificate: "localhost" });
  const folder = temporaryFolder({ password: `${PASSWORD}\n` });
  const secrets = [
    { kind: "file", key: "password_file", path: `${folder}/password` },
    { kind: "value", key: "password", value: new Secret(PASSWORD) },
  ] as const;
  for (const secret of secrets) {
    const redactor = new Redactor();
    const settings = { url: proxy.url, auth: { username: "exporter", secret }, caFile: CA };
    const outcome = await deliver({ endpoint: receiver.url, tls: { caFile: CA }, proxy: settings }, redactor);
    expect(outcome).toMatchObject({ kind: "accepted" });
    expect(redactor.redact(`it echoes ${PASSWORD}`)).not.toContain(PASSWORD);
  }
  expect(receiver.points).toHaveLength(2);
  expect(new Set(proxy.tunnels.map(({ target }) => target))).toEqual(new Set([new URL(receiver.url).host]));
  expect(JSON.stringify(receiver.requests.map(({ headers }) => headers))).not.toContain("proxy-authorization");
});

test("errors name a proxy that is down or needs credentials", async () => {
  const receiver = await startReceiver();
  const proxy = await startProxy({ credentials: `exporter:${PASSWORD}` });
  const section = { endpoint: receiver.url, proxy: { ...NO_PROXY, url: proxy.url } };
  expect(await deliver(section)).toMatchObject({
    kind: "failed",
    message: expect.stringMatching(`the proxy ${proxy.host} requires credentials, or rejects those of proxy_auth`),
  });
  await proxy.close();
  expect(await deliver(section)).toMatchObject({
    kind: "failed",
    message: expect.stringContaining(`no usable connection to the proxy ${proxy.host}: connect ECONNREFUSED`),
  });
  expect(receiver.requests).toHaveLength(0);
});

test("the error for an untrusted certificate has a working fingerprint line", async () => {
  const receiver = await startReceiver(() => undefined, {});
  const { fingerprint256 } = new X509Certificate(certificate("localhost.pem"));
  const outcome = await deliver({ endpoint: receiver.url });
  expect(outcome).toMatchObject({
    kind: "failed",
    message: expect.stringContaining(`otlp: { tls: { fingerprints: ["${fingerprint256}"] } }`),
  });
  const pin = fingerprint256.replaceAll(":", "").toLowerCase();
  const wrong = await deliver({ endpoint: receiver.url, tls: { fingerprints: ["0".repeat(64)] } });
  expect(wrong).toMatchObject({ kind: "failed", message: expect.stringContaining(fingerprint256) });
  expect(receiver.requests).toHaveLength(0);
  expect(await deliver({ endpoint: receiver.url, tls: { fingerprints: [pin] } })).toMatchObject({ kind: "accepted" });
});
