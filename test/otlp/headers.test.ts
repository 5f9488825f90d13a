import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Redactor } from "../../src/errors/redactor.ts";
import { OtlpMeasurementSink } from "../../src/otlp/measurement-sink.ts";
import type { OtlpSection } from "../../src/otlp/settings.ts";
import { never } from "../support/never-aborted.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { deliverRows, RESOURCE, recordedObserver, SCOPE, testExporter } from "./support/otlp-exporter.ts";
import { startReceiver } from "./support/otlp-http-receiver.ts";
import { describeAll, NOON, row } from "./support/rows.ts";

async function testSink(section: OtlpSection, redactor = new Redactor()) {
  const exporter = await testExporter(section, { redactor });
  return new OtlpMeasurementSink({
    exporter,
    resource: RESOURCE,
    scope: SCOPE,
    describe: describeAll,
    observer: recordedObserver(),
  });
}

test("headers come from configuration and files, which each request reads again", async () => {
  const folder = temporaryFolder({ token: "Bearer first\n" });
  const path = join(folder, "token");
  const receiver = await startReceiver();
  const sink = await testSink({
    endpoint: receiver.url,
    headers: { "X-Scope-OrgID": "tenant", Authorization: "overridden", "User-Agent": "mine" },
    headerFiles: { authorization: path },
  });
  await deliverRows(sink, [row("40", NOON, 1)], never);
  await writeFile(path, "Bearer second");
  await deliverRows(sink, [row("40", NOON + 1, 1)], never);
  expect(receiver.requests.map(({ headers }) => headers)).toMatchObject([
    { authorization: "Bearer first", "x-scope-orgid": "tenant", "user-agent": "mine" },
    { authorization: "Bearer second" },
  ]);
});

test("logs hide header values and tokens that a receiver echoes", async () => {
  const folder = temporaryFolder({ key: "Bearer from-a-file\n" });
  const receiver = await startReceiver();
  const redactor = new Redactor();
  const section = {
    endpoint: receiver.url,
    headers: { authorization: "Basic dXNlcjpwYXNz" },
    headerFiles: { "x-key": join(folder, "key") },
  };
  await deliverRows(await testSink(section, redactor), [row("40", NOON, 1)], never);
  expect(redactor.redact("no rights: dXNlcjpwYXNz, from-a-file, Bearer from-a-file")).toBe(
    "no rights: [redacted], [redacted], [redacted]",
  );
});

test("a missing file fails the delivery with its path, and delivery recovers", async () => {
  const folder = temporaryFolder({ token: "Bearer first" });
  const path = join(folder, "token");
  const receiver = await startReceiver();
  const sink = await testSink({ endpoint: receiver.url, headerFiles: { authorization: path } });
  await writeFile(path, "");
  const rows = [row("40", NOON, 1)];
  expect(await deliverRows(sink, rows, never)).toMatchObject({
    kind: "failed",
    message: expect.stringContaining(path),
  });
  await writeFile(path, "Bearer again");
  expect(await deliverRows(sink, rows, never)).toMatchObject({ kind: "accepted" });
  expect(receiver.requests).toHaveLength(1);
});

test("a missing file fails the start", async () => {
  const connecting = testExporter({ endpoint: "http://127.0.0.1:1", headerFiles: { authorization: "/no/such/file" } });
  await expect(connecting).rejects.toMatchObject({ code: "SECRET_UNREADABLE" });
});

test("an invalid header value fails the delivery without appearing", async () => {
  const folder = temporaryFolder({ token: "Bearer before" });
  const receiver = await startReceiver();
  const section = { endpoint: receiver.url, headerFiles: { authorization: join(folder, "token") } };
  const sink = await testSink(section);
  await writeFile(join(folder, "token"), "Bearer sécret\u0007");
  // Permanently not a path to the receiver.
  await expect(testSink(section)).rejects.toMatchObject({
    code: "SECRET_UNREADABLE",
    message: expect.stringContaining("contains characters that are invalid in an HTTP header"),
  });
  const outcome = await deliverRows(sink, [row("40", NOON, 1)], never);
  expect(outcome).toMatchObject({ kind: "failed" });
  expect(JSON.stringify(outcome)).not.toContain("cret");
});

test("the redactor knows every value", async () => {
  const folder = temporaryFolder({ token: "from-a-file" });
  const redactor = new Redactor();
  await testSink(
    { endpoint: "http://127.0.0.1:1", headers: { a: "from-a-variable" }, headerFiles: { b: join(folder, "token") } },
    redactor,
  );
  expect(redactor.redact("from-a-variable, from-a-file")).toBe("[redacted], [redacted]");
});

test("the redactor knows a value that a file replaces", async () => {
  const folder = temporaryFolder({ token: "from-a-file" });
  const redactor = new Redactor();
  const endpoint = "http://127.0.0.1:1";
  await testSink({ endpoint, headers: { a: "from-a-variable" }, headerFiles: { a: join(folder, "token") } }, redactor);
  expect(redactor.redact("from-a-variable, from-a-file")).toBe("[redacted], [redacted]");
});
