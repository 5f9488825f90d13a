import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { decodeRequest } from "../otlp/support/decode.ts";
import { startCommand, temporaryFolder } from "../support/command-line.ts";
import { parsePage } from "../support/parse-sample.ts";
import { CREDENTIALS, simulateServer } from "../support/simulated-server.ts";

const ENV = { KEY: CREDENTIALS.apiKey };
const PING = "mapping: { presets: [ping] }\n";
const OWN = "mapping: { files: [rules.yaml] }\n";
const RULES = "rules: [{ match: { channel: Downtime }, name: site_downtime_ratio, help: Downtime., unit: ratio }]\n";
const RELOADED = "prtg_exporter_config_last_reload_successful";

async function start(more: readonly string[] = [], extra = "") {
  const simulator = await simulateServer();
  const base = `servers: [{ name: hq, url: "${simulator.url}", auth: { api_key: "\${KEY}" } }]\n${extra}`;
  const folder = temporaryFolder({ "prtg.yaml": base + PING, "rules.yaml": RULES });
  const file = join(folder, "prtg.yaml");
  const args = ["serve", "--config.file", file, "--web.listen-address", "127.0.0.1:0", ...more];
  const exporter = startCommand(args, { env: ENV });
  const url = await exporter.url();
  await exporter.until(/ready/);
  return {
    simulator,
    exporter,
    url,
    write: (section: string, rules = RULES) => {
      writeFileSync(file, base + section);
      writeFileSync(join(folder, "rules.yaml"), rules);
    },
    post: async (path = "/-/reload", method = "POST") => {
      const answer = await fetch(`${url}${path}`, { method });
      return { status: answer.status, text: await answer.text() };
    },
    families: async () => {
      const samples = [...parsePage(await (await fetch(`${url}/metrics`)).text()).values()];
      const own = samples.find(({ name }) => name === RELOADED)?.value;
      // Those of the process and of the pages come with time.
      const names = samples.map(({ name }) => name).filter((name) => !/^(nodejs|process)_|_scrapes_total$/.test(name));
      return { names: new Set(names), succeeded: own };
    },
  };
}

it("a configuration is reloaded as a whole or not at all", async () => {
  const it = await start(["--web.enable-lifecycle"]);
  const before = await it.families();
  expect(before.succeeded).toBe("1");
  expect(before.names).toContain("prtg_ping_seconds");
  expect(before.names).not.toContain("site_downtime_ratio");
  expect(await it.post()).toEqual({ status: 200, text: "Nothing has changed.\n" });

  it.write(OWN, "rules:\n  - match: { channel: Downtime }\n    name: 1st\n    help: Wrong.\n");
  const refused = await it.post();
  expect(refused.status).toBe(500);
  expect(refused.text).toMatch(
    /the one before still runs\.\n.*rules\.yaml:3:11: .*name: expected the name of a metric/s,
  );
  expect(await it.families()).toEqual({ names: before.names, succeeded: "0" });

  it.write(OWN);
  expect(await it.post()).toEqual({ status: 200, text: "Reloaded.\n" });
  await vi.waitFor(
    async () => {
      const after = await it.families();
      expect(after.succeeded).toBe("1");
      expect(after.names).toContain("site_downtime_ratio");
      expect(after.names).toContain("prtg_channel_value");
      expect(after.names).not.toContain("prtg_ping_seconds");
    },
    { timeout: 10_000, interval: 50 },
  );
  expect((await it.post("/-/reload", "GET")).status).toBe(405);
  it.exporter.kill("SIGTERM");
  expect((await it.exporter.ended).code).toBe(0);
});

it("a page is served throughout", async () => {
  const it = await start(["--web.enable-lifecycle"]);
  let pages = 0;
  let ended = false;
  const scraping = (async () => {
    while (!ended) {
      expect((await it.families()).names).toContain("prtg_channel_value");
      pages++;
    }
  })();
  for (const section of [OWN, PING, OWN]) {
    it.write(section);
    expect(await it.post()).toEqual({ status: 200, text: "Reloaded.\n" });
  }
  await vi.waitFor(async () => expect((await it.families()).names).toContain("site_downtime_ratio"), {
    timeout: 10_000,
  });
  ended = true;
  await scraping;
  expect(pages).toBeGreaterThan(3);
});

it("over HTTP only on request, by SIGHUP always; what is pushed goes on where it was", async () => {
  const seen: string[] = [];
  const names = new Set<string>();
  const receiver = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const contentType = request.headers["content-type"] ?? "";
    for (const { name, points } of decodeRequest(contentType, Buffer.concat(chunks)).flatMap(
      ({ metrics }) => metrics,
    )) {
      names.add(name);
      if (name !== "prtg.channel_value") continue;
      for (const { attributes, time } of points) seen.push(`${attributes.sensor_id}.${attributes.channel_id} ${time}`);
    }
    response.writeHead(200).end();
  });
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void receiver.close());
  const endpoint = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
  const it = await start([], `otlp: { endpoint: "${endpoint}", interval: 1s }\nstate_dir: state\n`);
  expect(await it.post()).toEqual({ status: 403, text: expect.stringContaining("--web.enable-lifecycle") });
  await vi.waitFor(() => expect(names).toContain("prtg.ping_seconds"), { timeout: 20_000 });
  it.write(OWN);
  it.exporter.kill("SIGHUP");
  await it.exporter.until(/the configuration was reloaded/);
  await vi.waitFor(async () => expect((await it.families()).names).toContain("site_downtime_ratio"), {
    timeout: 10_000,
  });
  expect(new Set(seen).size).toBe(seen.length);
  expect(seen.length).toBeGreaterThan(1_000);
});
