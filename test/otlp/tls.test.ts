import { X509Certificate } from "node:crypto";
import { copyFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { OtlpMeasurementSink } from "../../src/otlp/measurement-sink.ts";
import type { OtlpSection } from "../../src/otlp/settings.ts";
import { certificate, certificatePath, keyPair } from "../support/certificates.ts";
import { never } from "../support/never-aborted.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { deliverRows, RESOURCE, recordedObserver, SCOPE, testExporter } from "./support/otlp-exporter.ts";
import { startReceiver } from "./support/otlp-http-receiver.ts";
import { describeAll, NOON, row } from "./support/rows.ts";

const CA = certificatePath("ca.pem");
/** Also a client certificate. */
const CLIENT = { certFile: certificatePath("localhost.pem"), keyFile: certificatePath("localhost.key.pem") };
/** The self-signed certificate of another name. */
const OTHER = "prtg.example.com";
const SEEN = new X509Certificate(certificate("localhost.pem")).fingerprint256;

async function deliver(section: OtlpSection) {
  const exporter = await testExporter(section);
  const options = { exporter, resource: RESOURCE, scope: SCOPE, describe: describeAll, observer: recordedObserver() };
  return deliverRows(new OtlpMeasurementSink(options), [row("40", NOON, 1)], never);
}

describe("certificate of the receiver", () => {
  test.each<[string, string, OtlpSection["tls"]]>([
    ["ca_file", "localhost", { caFile: CA }],
    ["server_name", "prtg.example.com", { caFile: certificatePath(`${OTHER}.pem`), serverName: OTHER }],
    ["fingerprints", "localhost", { fingerprints: [SEEN.replaceAll(":", "").toLowerCase()] }],
    ["insecure_skip_verify", "localhost", { insecureSkipVerify: true }],
  ])("passes with %s", async (_key, name, tls) => {
    const receiver = await startReceiver(() => undefined, keyPair(name));
    expect(await deliver({ endpoint: receiver.url, tls })).toMatchObject({ kind: "accepted" });
  });

  test.each([
    ["its authority", {}],
    ["its fingerprint", { fingerprints: ["0".repeat(64)] }],
  ])("fails without %s, and the error has a working fingerprint line", async (_what, tls) => {
    const receiver = await startReceiver(() => undefined, {});
    expect(await deliver({ endpoint: receiver.url, tls })).toMatchObject({
      kind: "failed",
      message: expect.stringContaining(`otlp: { tls: { fingerprints: ["${SEEN}"] } }`),
    });
    expect(receiver.requests).toHaveLength(0);
  });
});

describe("client certificate", () => {
  test("can change while the exporter runs", async () => {
    const folder = temporaryFolder({});
    const [certFile, keyFile] = [join(folder, "tls.crt"), join(folder, "tls.key")];
    const use = async (name: string) => {
      await copyFile(certificatePath(`${name}.pem`), certFile);
      await copyFile(certificatePath(`${name}.key.pem`), keyFile);
    };
    await use("prtg.example.com");
    // To record the first one.
    const asking = { requestCert: true, rejectUnauthorized: false, ca: certificate("ca.pem") };
    const receiver = await startReceiver(() => ({ headers: { connection: "close" } }), asking);
    const exporter = await testExporter({ endpoint: receiver.url, tls: { caFile: CA, certFile, keyFile } });
    const options = { exporter, resource: RESOURCE, scope: SCOPE, describe: describeAll, observer: recordedObserver() };
    const sink = new OtlpMeasurementSink(options);
    await deliverRows(sink, [row("40", NOON, 1)], never);
    await use("localhost");
    await deliverRows(sink, [row("40", NOON + 1, 1)], never);
    expect(receiver.requests.map(({ clientName }) => clientName)).toEqual(["prtg.example.com", "localhost"]);
    await writeFile(keyFile, "gone");
    expect(await deliverRows(sink, [row("40", NOON + 2, 1)], never)).toMatchObject({
      kind: "failed",
      message: expect.stringContaining(keyFile),
    });
  });

  test.each([
    { tls: { certFile: CLIENT.certFile }, code: "CONFIG_INVALID" },
    { tls: { keyFile: CLIENT.keyFile }, code: "CONFIG_INVALID" },
    { tls: { caFile: "/no/such/file" }, code: "CA_UNREADABLE" },
  ])("$tls fails at the start: $code", async ({ tls, code }) => {
    await expect(testExporter({ endpoint: "https://127.0.0.1:1", tls })).rejects.toMatchObject({ code });
  });

  test("files are unused over plain HTTP", async () => {
    const receiver = await startReceiver();
    const tls = { caFile: "/no/such/file" };
    expect(await deliver({ endpoint: receiver.url, tls })).toMatchObject({ kind: "accepted" });
  });
});
