import { expect, test } from "vitest";
import { Secret } from "../../src/config/secrets.ts";
import { Redactor } from "../../src/errors/redactor.ts";
import { OtlpMeasurementSink } from "../../src/otlp/measurement-sink.ts";
import type { OtlpSection } from "../../src/otlp/settings.ts";
import { certificatePath } from "../support/certificates.ts";
import { startProxy } from "../support/connect-proxy.ts";
import { never } from "../support/never-aborted.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { deliverRows, RESOURCE, recordedObserver, SCOPE, testExporter } from "./support/otlp-exporter.ts";
import { startReceiver } from "./support/otlp-http-receiver.ts";
import { describeAll, NOON, row } from "./support/rows.ts";

const CA = certificatePath("ca.pem");
const PASSWORD = "otlp-proxy-s3cret";

async function deliver(section: OtlpSection, redactor = new Redactor()) {
  const exporter = await testExporter(section, { redactor });
  const options = { exporter, resource: RESOURCE, scope: SCOPE, describe: describeAll, observer: recordedObserver() };
  return deliverRows(new OtlpMeasurementSink(options), [row("40", NOON, 1)], never);
}

test("points go through a proxy with its credentials", async () => {
  const receiver = await startReceiver(() => undefined, {});
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
