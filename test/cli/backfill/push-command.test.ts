import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { pointsOf, timeOf } from "../../backfill/pushing.ts";
import { startReceiver } from "../../otlp/support/otlp-http-receiver.ts";
import { CREDENTIALS, simulateServer } from "../../support/simulated-server.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { runInProcess } from "../support/command-in-process.ts";

/** A quiet hour may have only two deliveries of 500 values. */
const FLAGS = ["--from", "6h", "--resolution", "short"];

/** `FOLDER` stands for its folder. */
function prepare(url: string, settings: string) {
  const folder = temporaryFolder({});
  const config = `servers: [{ name: hq, url: "${url}", auth: { api_key: "\${KEY}" }, limits: { requests_per_second: 1000 } }]\n${settings}`;
  const files = temporaryFolder({ "config.yaml": config.replaceAll("FOLDER", folder) });
  const args = ["backfill", "--config.file", join(files, "config.yaml"), "--push"];
  return {
    folder,
    run: (more: readonly string[], env: Readonly<Record<string, string>> = {}) =>
      runInProcess([...args, ...more], { KEY: CREDENTIALS.apiKey, ...env }),
  };
}

test("backfill --push uses the section otlp and the standard variables, and reports the result", async () => {
  const { url } = await simulateServer();
  const receiver = await startReceiver();
  const { run, folder } = prepare(url, `state_dir: FOLDER\notlp: { compression: gzip, service_name: history }`);
  const { code, stdout, stderr } = await run(FLAGS, {
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    OTEL_EXPORTER_OTLP_HEADERS: "x-scope-orgid=network",
    OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
  });
  expect(code, stderr).toBe(0);
  expect(stderr).not.toMatch(/"level":"(warn|error)"/);
  expect(stderr).toContain('"msg":"pushing values"');
  const points = receiver.requests.flatMap(pointsOf);
  // `serve` pushes recent values itself.
  expect(Math.max(...points.map(timeOf))).toBeLessThan(Date.now() - 4 * 3_600_000);
  expect(stdout).toBe(`pushed ${points.length} values of up to 90 series to ${receiver.url}/v1/metrics\n`);
  for (const { headers, path, batches } of receiver.requests) {
    expect(path).toBe("/v1/metrics");
    expect(headers).toMatchObject({
      "x-scope-orgid": "network",
      "content-type": "application/json",
      "content-encoding": "gzip",
    });
    const { "service.name": service, "service.instance.id": instance } = batches[0]?.resource ?? {};
    expect(service).toBe("history");
    expect(instance).toMatch(/^[\da-f-]{36}$/);
  }
  expect(readdirSync(folder).sort()).toEqual(["backfill", "instance-id"]);
  const again = await run(FLAGS, { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url });
  expect(again).toMatchObject({ code: 1, stdout: "" });
  expect(again.stderr).toContain("[BACKFILL_OVERLAP]");
});

test("backfill --push exits with 1 and reports rejected values", async () => {
  const { url } = await simulateServer();
  let bad: string | undefined;
  const isBad = (point: string): boolean => point.startsWith(`${bad}.`);
  // Everything of the first sensor.
  const receiver = await startReceiver((_, seen) => {
    const points = pointsOf(seen);
    bad ??= points[0]?.split(".")[0];
    return points.some(isBad)
      ? { status: 400, headers: { "content-type": "text/plain" }, body: "out of bounds" }
      : undefined;
  });
  const { run } = prepare(url, `state_dir: FOLDER\notlp: { endpoint: "${receiver.url}" }`);
  const { code, stdout } = await run(FLAGS);
  const refused = new Set(receiver.requests.flatMap(pointsOf).filter(isBad)).size;
  expect(refused).toBeGreaterThan(0);
  expect(stdout).toContain(
    `\nthe receiver rejected ${refused} values permanently: HTTP 400 Bad Request: out of bounds\n`,
  );
  expect(code).toBe(1);
});

test.each([
  ["state_dir: FOLDER", {}, "[BACKFILL_NO_RECEIVER] Set otlp.endpoint or OTEL_EXPORTER_OTLP_ENDPOINT"],
  [
    'state_dir: FOLDER\notlp: { endpoint: "http://127.0.0.1:1" }',
    { OTEL_SDK_DISABLED: "true" },
    "[BACKFILL_NO_RECEIVER]",
  ],
  ['otlp: { endpoint: "http://127.0.0.1:1" }', {}, "[BACKFILL_NO_STATE_DIR] Set state_dir in the configuration file."],
])("backfill --push with %s names the missing setting", async (settings, env, text) => {
  const { code, stderr } = await prepare("http://127.0.0.1:1", settings).run(FLAGS, env);
  expect(code).toBe(1);
  expect(stderr).toContain(text);
});

test.each([
  [["--output", "history"], "option '--push' cannot be used with option '--output <folder>'"],
  [["--label", "job=prtg"], "option '--push' cannot be used with option '--label <name=value>'"],
])("backfill --push rejects %s", async (flags, text) => {
  const { code, stderr } = await prepare("http://127.0.0.1:1", "").run([...FLAGS, ...flags]);
  expect(code).toBe(2);
  expect(stderr).toContain(text);
});

test("backfill requires a destination", async () => {
  const { code, stderr } = await runInProcess(["backfill", "--from", "1d"]);
  expect(code).toBe(2);
  expect(stderr).toContain("give --output <folder> for files, or --push");
});
