import { mkdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { decodeReceived } from "../otlp/support/decode-metrics.ts";
import { startCommand } from "../support/command-line.ts";
import { currentPage } from "../support/current-page.ts";
import { parsePage } from "../support/parse-sample.ts";
import { CREDENTIALS, simulateServer } from "../support/simulated-server.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

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
  await currentPage(url);
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
      // Process, page and rare-event metrics appear over time.
      const names = samples.map(({ name }) => name).filter((name) => !/^(nodejs|process|prtg_exporter)_/.test(name));
      return { names: new Set(names), succeeded: own };
    },
  };
}

test("a reload applies the whole configuration or nothing", async () => {
  const running = await start(["--web.enable-lifecycle"]);
  // Ready before the limits.
  await vi.waitFor(async () => expect((await running.families()).names).toContain("prtg_ping_limit_seconds"), {
    timeout: 30_000,
  });
  await currentPage(running.url);
  const before = await running.families();
  expect(before.succeeded).toBe("1");
  expect(before.names).toContain("prtg_ping_seconds");
  expect(before.names).not.toContain("site_downtime_ratio");
  expect(await running.post()).toEqual({ status: 200, text: "The configuration has not changed.\n" });

  running.write(OWN, "rules:\n  - match: { channel: Downtime }\n    name: 1st\n    help: Wrong.\n");
  const refused = await running.post();
  expect(refused.status).toBe(500);
  expect(refused.text).toMatch(
    /The previous one stays in use\.\n.*rules\.yaml:3:11: .*name: expected the name of a metric/s,
  );
  expect(await running.families()).toEqual({ names: before.names, succeeded: "0" });

  running.write(OWN);
  expect(await running.post()).toEqual({ status: 200, text: "Reloaded.\n" });
  await vi.waitFor(
    async () => {
      const after = await running.families();
      expect(after.succeeded).toBe("1");
      expect(after.names).toContain("site_downtime_ratio");
      expect(after.names).toContain("prtg_channel_value");
      expect(after.names).not.toContain("prtg_ping_seconds");
    },
    { timeout: 30_000, interval: 50 },
  );
  expect((await running.post("/-/reload", "GET")).status).toBe(405);
  running.exporter.kill("SIGTERM");
  expect((await running.exporter.ended).code).toBe(0);
});

test("the page stays available during reloads", async () => {
  const running = await start(["--web.enable-lifecycle"]);
  let pages = 0;
  let ended = false;
  const scraping = (async () => {
    while (!ended) {
      expect((await running.families()).names).toContain("prtg_channel_value");
      pages++;
    }
  })();
  for (const section of [OWN, PING, OWN]) {
    running.write(section);
    expect(await running.post()).toEqual({ status: 200, text: "Reloaded.\n" });
  }
  await vi.waitFor(async () => expect((await running.families()).names).toContain("site_downtime_ratio"), {
    timeout: 30_000,
  });
  ended = true;
  await scraping;
  expect(pages).toBeGreaterThan(0);
});

test("a reload works by SIGHUP, by HTTP only if enabled, and keeps pushing", async () => {
  const seen: string[] = [];
  const names = new Set<string>();
  const receiver = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    for (const { name, points } of decodeReceived(request.headers, Buffer.concat(chunks)).flatMap(
      ({ metrics }) => metrics,
    )) {
      names.add(name);
      if (name !== "prtg.channel_value") continue;
      for (const { attributes, time, ended } of points) {
        if (!ended) seen.push(`${attributes.sensor_id}.${attributes.channel_id} ${time}`);
      }
    }
    response.writeHead(200).end();
  });
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void receiver.close());
  const endpoint = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
  const running = await start([], `otlp: { endpoint: "${endpoint}", interval: 1s }\nstate_dir: state\n`);
  expect(await running.post()).toEqual({ status: 403, text: expect.stringContaining("--web.enable-lifecycle") });
  await vi.waitFor(() => expect(names).toContain("prtg.ping_seconds"), { timeout: 30_000 });
  running.write(OWN);
  running.exporter.kill("SIGHUP");
  await running.exporter.until(/the configuration was reloaded/);
  await vi.waitFor(async () => expect((await running.families()).names).toContain("site_downtime_ratio"), {
    timeout: 30_000,
  });
  await vi.waitFor(() => expect(seen.length).toBeGreaterThan(1_000), { timeout: 30_000 });
  expect(new Set(seen).size).toBe(seen.length);
});

/** Remembers the acknowledged measurements. */
async function startReceiver(answer: () => number | "never" = () => 200) {
  const seen: string[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    // A request without an answer aborts.
    request.on("error", () => undefined);
    for await (const chunk of request) chunks.push(chunk);
    const status = answer();
    if (status === "never") return;
    const metrics = decodeReceived(request.headers, Buffer.concat(chunks)).flatMap((resource) => resource.metrics);
    // It gets no acknowledgement and retries.
    if (request.socket.destroyed) return;
    for (const { name, points } of status === 200 ? metrics : []) {
      if (name !== "prtg.channel_value") continue;
      for (const { attributes, time, ended } of points) {
        if (!ended) seen.push(`${attributes.sensor_id}.${attributes.channel_id} ${time}`);
      }
    }
    response.writeHead(status).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { seen, endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

test("a changed receiver, mode or push during work loses and repeats nothing", async () => {
  const simulator = await simulateServer();
  // Both push the same data.
  simulator.freezeAt(Date.now());
  let acknowledges = true;
  const [control, first, second] = await Promise.all([
    startReceiver(),
    startReceiver(() => (acknowledges ? 200 : "never")),
    startReceiver(),
  ]);
  const configOf = (endpoint: string | undefined, mode: string, stateDir: string) =>
    `servers: [{ name: hq, url: "${simulator.url}", auth: { api_key: "\${KEY}" }, limits: { requests_per_second: 12 } }]
collectors: { channels: { schedule: 1s }, timeseries: { schedule: 1s, mode: ${mode} } }
state_dir: ${stateDir}
${endpoint === undefined ? "" : `otlp: { endpoint: "${endpoint}", interval: 1s, timeout: 10s }`}
`;
  const folder = temporaryFolder({
    "control.yaml": configOf(control.endpoint, "auto", "control"),
    "prtg.yaml": configOf(first.endpoint, "auto", "state"),
  });
  const start = (name: string) =>
    startCommand(["serve", "--config.file", join(folder, name), "--web.listen-address", "127.0.0.1:0"], { env: ENV });
  start("control.yaml");
  const exporter = start("prtg.yaml");
  let reloads = 0;
  const reload = async (endpoint: string | undefined, mode: string, stateDir = "state") => {
    writeFileSync(join(folder, "prtg.yaml"), configOf(endpoint, mode, stateDir));
    exporter.kill("SIGHUP");
    reloads++;
    await exporter.until(new RegExp(`(the configuration was reloaded[^]*){${reloads}}`));
  };
  const patient = { timeout: 40_000, interval: 20 };
  await vi.waitFor(() => expect(first.seen.length).toBeGreaterThan(0), patient);
  acknowledges = false;
  await reload(second.endpoint, "auto");
  await vi.waitFor(() => expect(second.seen.length).toBeGreaterThan(0), patient);
  await reload(second.endpoint, "all");
  await reload(undefined, "auto");
  await reload(second.endpoint, "auto");
  await reload(second.endpoint, "auto", "elsewhere");
  const counts = () => [control, first, second].map(({ seen }) => seen.length);
  let before: readonly number[] = [];
  await vi.waitFor(
    () => {
      const [since, now] = [before, counts()];
      before = now;
      expect(control.seen.length).toBeGreaterThan(10_000);
      expect(new Set([...first.seen, ...second.seen]).size).toBeGreaterThanOrEqual(control.seen.length);
      // Waits for duplicates or one-sided data.
      expect(now).toEqual(since);
    },
    { timeout: 120_000, interval: 3_000 },
  );
  const all = [...first.seen, ...second.seen];
  expect(first.seen.length).toBeGreaterThan(0);
  expect(new Set(all).size).toBe(all.length);
  expect(new Set(all)).toEqual(new Set(control.seen));
}, 180_000);

test("a reload follows changed file contents, also behind swapped links", async () => {
  const simulator = await simulateServer();
  const base = `servers: [{ name: hq, url: "${simulator.url}", auth: { api_key_file: key } }]\n`;
  const folder = temporaryFolder({
    "one/prtg.yaml": base + OWN,
    "one/rules.yaml": RULES,
    "one/key": CREDENTIALS.apiKey,
  });
  // Kubernetes mounts a ConfigMap this way.
  symlinkSync("one", join(folder, "..data"));
  for (const name of ["prtg.yaml", "rules.yaml", "key"]) symlinkSync(`..data/${name}`, join(folder, name));
  let mounts = 0;
  const mount = (rules: string, config = base + OWN) => {
    const name = `mount-${mounts++}`;
    mkdirSync(join(folder, name));
    for (const [file, text] of Object.entries({ "prtg.yaml": config, "rules.yaml": rules, key: CREDENTIALS.apiKey })) {
      writeFileSync(join(folder, name, file), text);
    }
    symlinkSync(name, join(folder, "..new"));
    renameSync(join(folder, "..new"), join(folder, "..data"));
  };
  const args = ["serve", "--config.file", join(folder, "prtg.yaml"), "--web.listen-address", "127.0.0.1:0"];
  const exporter = startCommand([...args, "--config.auto-reload-interval", "1s"], { env: {} });
  const url = await exporter.url();
  await exporter.until(/ready/);
  const page = () => currentPage(url);
  expect(await page()).toMatch(/^site_downtime_ratio\{/m);
  const hash = /^prtg_exporter_config_hash (\d+)$/m.exec(await page())?.[1];
  mount("# another comment\n".concat(RULES));
  await exporter.until(/the configuration has not changed/);
  mount(RULES.replace("site_downtime_ratio", "1st"));
  await exporter.until(/the configuration was not reloaded/);
  // Several checks, each of which could log.
  await new Promise((resolve) => setTimeout(resolve, 2_500));
  expect(exporter.stderr.match(/was not reloaded/g)).toHaveLength(1);
  expect(await page()).toMatch(/^prtg_exporter_config_last_reload_successful 0$/m);
  expect(await page()).toContain(`prtg_exporter_config_hash ${hash}\n`);
  mount(RULES.replace("site_downtime_ratio", "site_outage_ratio"));
  await exporter.until(/the configuration was reloaded/);
  await vi.waitFor(async () => expect(await page()).toMatch(/^site_outage_ratio\{/m), { timeout: 30_000 });
  expect(await page()).not.toMatch(/^site_downtime_ratio\{/m);
  expect(await page()).not.toContain(`prtg_exporter_config_hash ${hash}\n`);
  expect(await page()).toMatch(/^prtg_exporter_config_last_reload_successful 1$/m);
});
