import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pino } from "pino";
import { describe, expect, onTestFinished, test } from "vitest";
import { discardPush, prepareOtlpPush } from "../../src/app/otlp-preparation.ts";
import { beginOtlpPush, type OtlpPush } from "../../src/app/otlp-push.ts";
import { digestReceiver } from "../../src/app/otlp-receiver.ts";
import { otlpSettings } from "../../src/otlp/settings.ts";
import { testContext } from "../support/simulated-exporter.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { loadTestConfig } from "../support/test-config.ts";

const server = (name: string) => `{ name: ${name}, url: "https://prtg", auth: { api_key: "\${KEY}" } }`;

async function configOf(otlp: string, folder: string, names: readonly string[] = ["hq"], key?: string) {
  const yaml = `servers: [${names.map(server).join(", ")}]\nstate_dir: ${folder}\notlp: { endpoint: "http://127.0.0.1:9", ${otlp} }\n`;
  return loadTestConfig(yaml, key);
}

async function begun(config: Awaited<ReturnType<typeof configOf>>, before?: OtlpPush): Promise<OtlpPush> {
  const prepared = await prepareOtlpPush(config, testContext(), {});
  if (prepared === undefined) throw new Error("nothing is pushed");
  onTestFinished(() => discardPush(prepared));
  return beginOtlpPush(prepared, before, pino({ level: "silent" }));
}

describe("beginOtlpPush", () => {
  test("continues an unchanged push with its connections and watermarks", async () => {
    const folder = temporaryFolder({});
    const before = await begun(await configOf("", folder));
    const { receiver, watermarks } = before.options;
    const after = await begun(await configOf("", folder, ["hq", "branch"]), before);
    expect(after.options.receiver).toBe(receiver);
    expect(after.options.watermarks.get("hq")).toBe(watermarks.get("hq"));
    expect([...after.options.watermarks.keys()]).toEqual(["hq", "branch"]);
  });

  test("connects again for other settings, with the same watermarks", async () => {
    const folder = temporaryFolder({});
    const before = await begun(await configOf("", folder));
    const after = await begun(await configOf("timeout: 3s", folder), before);
    expect(after.options.receiver).not.toBe(before.options.receiver);
    expect(after.options.watermarks.get("hq")).toBe(before.options.watermarks.get("hq"));
  });

  test("starts with the watermarks of another state_dir", async () => {
    const before = await begun(await configOf("", temporaryFolder({})));
    const after = await begun(await configOf("", temporaryFolder({})), before);
    expect(after.options.receiver).not.toBe(before.options.receiver);
    expect(after.options.watermarks.get("hq")).not.toBe(before.options.watermarks.get("hq"));
  });
});

describe("digest of a receiver", () => {
  async function digestOf(otlp: string, key = "a-key"): Promise<string> {
    const { settings } = otlpSettings({}, (await configOf(otlp, "/state", ["hq"], key)).otlp);
    if (settings === undefined) throw new Error("nothing is pushed");
    return digestReceiver(settings);
  }

  test("differs with settings and secrets, which may belong to a proxy", async () => {
    const proxy = 'proxy_url: "http://proxy:3128"';
    const auth = `${proxy}, proxy_auth: { username: exporter, password: "\${KEY}" }`;
    const header = 'headers: { x-key: "${KEY}" }';
    const digests = await Promise.all([
      ...["", "timeout: 3s", proxy, auth, header].map((otlp) => digestOf(otlp)),
      ...[auth, header].map((otlp) => digestOf(otlp, "another-key")),
    ]);
    expect(new Set(digests).size).toBe(7);
    expect(await digestOf(auth)).toBe(digests[3]);
    expect(await digestOf(proxy, "another-key")).toBe(digests[2]);
  });

  test("differs with the content of files", async () => {
    const path = join(temporaryFolder({ password: "one" }), "password");
    const otlp = `proxy_url: "http://proxy:3128", proxy_auth: { username: exporter, password_file: ${path} }`;
    const before = await digestOf(otlp);
    expect(await digestOf(otlp)).toBe(before);
    writeFileSync(path, "two");
    expect(await digestOf(otlp)).not.toBe(before);
  });
});
