import { copyFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createMeasurementSink } from "../../src/otlp/measurement-sink.ts";
import type { OtlpSection } from "../../src/otlp/settings.ts";
import { certificate, certificatePath } from "../support/certificates.ts";
import { never } from "../support/never-aborted.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { deliverRows, RESOURCE, recordedObserver, SCOPE, testExporter } from "./support/otlp-exporter.ts";
import { startReceiver } from "./support/otlp-http-receiver.ts";
import { describeAll, NOON, row } from "./support/rows.ts";

const CA = certificatePath("ca.pem");
/** Also a client certificate. */
const CLIENT = { certFile: certificatePath("localhost.pem"), keyFile: certificatePath("localhost.key.pem") };
const MUTUAL = { requestCert: true, rejectUnauthorized: true, ca: certificate("ca.pem") };

async function deliver(section: OtlpSection) {
  const exporter = await testExporter(section);
  const options = { exporter, resource: RESOURCE, scope: SCOPE, describe: describeAll, observer: recordedObserver() };
  return deliverRows(createMeasurementSink(options), [row("40", NOON, 1)], never);
}

describe("certificate of the receiver", () => {
  test.each([CA, CLIENT.certFile])("passes with %s", async (caFile) => {
    const receiver = await startReceiver(() => undefined, {});
    expect(await deliver({ endpoint: receiver.url, tls: { caFile } })).toMatchObject({ kind: "accepted" });
    expect(receiver.points).toHaveLength(1);
  });

  test("fails without its authority", async () => {
    const receiver = await startReceiver(() => undefined, {});
    const outcome = await deliver({ endpoint: receiver.url });
    expect(outcome).toMatchObject({ kind: "failed", message: expect.stringContaining("certificate") });
    expect(receiver.requests).toHaveLength(0);
  });

  test("fails for another name, unless expected", async () => {
    const other = { cert: certificate("prtg.example.com.pem"), key: certificate("prtg.example.com.key.pem") };
    const receiver = await startReceiver(() => undefined, other);
    const tls = { caFile: certificatePath("prtg.example.com.pem") };
    expect(await deliver({ endpoint: receiver.url, tls })).toMatchObject({ kind: "failed" });
    const named = { ...tls, serverName: "prtg.example.com" };
    expect(await deliver({ endpoint: receiver.url, tls: named })).toMatchObject({ kind: "accepted" });
  });

  test("is unchecked if configured", async () => {
    const receiver = await startReceiver(() => undefined, {});
    const tls = { insecureSkipVerify: true };
    expect(await deliver({ endpoint: receiver.url, tls })).toMatchObject({ kind: "accepted" });
  });
});

describe("client certificate", () => {
  test("reaches a receiver that requests it", async () => {
    const receiver = await startReceiver(() => undefined, MUTUAL);
    const tls = { caFile: CA, ...CLIENT };
    expect(await deliver({ endpoint: receiver.url, tls })).toMatchObject({ kind: "accepted" });
    expect(receiver.requests.map(({ clientName }) => clientName)).toEqual(["localhost"]);
    expect(await deliver({ endpoint: receiver.url, tls: { caFile: CA } })).toMatchObject({ kind: "failed" });
  });

  test("can change while the exporter runs", async () => {
    const folder = temporaryFolder({});
    const [certFile, keyFile] = [join(folder, "tls.crt"), join(folder, "tls.key")];
    const use = async (name: string) => {
      await copyFile(certificatePath(`${name}.pem`), certFile);
      await copyFile(certificatePath(`${name}.key.pem`), keyFile);
    };
    await use("prtg.example.com");
    // To record the first one.
    const asking = { ...MUTUAL, rejectUnauthorized: false };
    const receiver = await startReceiver(() => ({ headers: { connection: "close" } }), asking);
    const exporter = await testExporter({ endpoint: receiver.url, tls: { caFile: CA, certFile, keyFile } });
    const options = { exporter, resource: RESOURCE, scope: SCOPE, describe: describeAll, observer: recordedObserver() };
    const sink = createMeasurementSink(options);
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
    { tls: { ...CLIENT, keyFile: "/no/such/file" }, code: "SECRET_UNREADABLE" },
    { tls: { ...CLIENT, keyFile: CLIENT.certFile }, code: "SECRET_UNREADABLE" },
    { tls: { ...CLIENT, keyFile: certificatePath("expired.key.pem") }, code: "SECRET_UNREADABLE" },
    { tls: { ...CLIENT, certFile: CLIENT.keyFile }, code: "CA_UNREADABLE" },
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
