import { writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import bcrypt from "bcryptjs";
import { startSimulator } from "prtg-simulator/src/simulator.ts";
import { createWorld } from "prtg-simulator/src/world/world.ts";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { systemClock } from "../../src/lib/clock.ts";
import { type Certificates, makeCertificates } from "../http/support/certificates.ts";
import { TEST_KEY } from "../support/simulated-exporter.ts";
import { type BackgroundProgram, startInBackground } from "./support/background-program.ts";
import { describeWithPrograms } from "./support/programs.ts";
import { Prometheus, type Target } from "./support/prometheus.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const PASSWORD = "tuesdays only";
const LIMIT_MS = 60_000;
const TLS = "tls_server_config:\n  cert_file: server.pem\n  key_file: server.key\n";

let certificates: Certificates;
let users: string;

beforeAll(async () => {
  certificates = makeCertificates();
  users = `basic_auth_users:\n  scraper: ${(await bcrypt.hash(PASSWORD, 10)).replace("$2b", "$2y")}\n`;
});

afterAll(() => certificates.remove());

describeWithPrograms(["prometheus-3"], "Prometheus 3 over TLS", (programs) => {
  const binary = programs["prometheus-3"];

  test("scrapes with user name and password, and gets 401 with a wrong one", async () => {
    const exporter = await startExporter("users", TLS + users);
    const good = await scrape(binary, exporter.address, { basic_auth: { username: "scraper", password: PASSWORD } });
    await good.waitUntilScraped();
    await expectAllSensors(good, exporter);
    const bad = await scrape(binary, exporter.address, {
      basic_auth: { username: "scraper", password: "mondays too" },
    });
    expect(await failedTarget(bad)).toMatchObject({
      health: "down",
      lastError: "server returned HTTP status 401 Unauthorized",
    });
    const none = await scrape(binary, exporter.address, {});
    expect((await failedTarget(none)).lastError).toContain("401");
    // Wrong passwords must not disturb it.
    await good.nextScrape();
    for (const secret of [PASSWORD, "mondays too", users.split(": ")[1]?.trim() ?? "?"]) {
      expect(exporter.program.log()).not.toContain(secret);
    }
  });
});

interface RunningExporter {
  readonly program: BackgroundProgram;
  /** host:port */
  readonly address: string;
  readonly sensors: number;
}

/** The real command with a simulator, after the first poll. */
async function startExporter(name: string, webConfig: string): Promise<RunningExporter> {
  const simulator = await startSimulator({
    world: createWorld({ seed: 1, size: { sensors: 60 }, startedAt: Date.now() }),
    clock: systemClock,
    spelling: "live",
    credentials: { apiKey: TEST_KEY, username: "tester", password: "password-of-the-tests" },
  });
  onTestFinished(() => simulator.close());
  const file = (suffix: string, content: string): string => {
    const place = path.join(certificates.folder, `${name}${suffix}`);
    writeFileSync(place, content);
    return place;
  };
  const config = file(".yaml", `servers: [{ name: hq, url: "${simulator.url}", auth: { api_key: "\${KEY}" } }]\n`);
  const web = file("-web.yaml", webConfig);
  const program = startInBackground(
    process.execPath,
    [
      ...["src/main.ts", "serve", `--config.file=${config}`, `--web.config.file=${web}`, "--log.format=json"],
      ...["--web.listen-address=127.0.0.1:0", "--log.level=debug"],
    ],
    { cwd: ROOT, env: { KEY: TEST_KEY } },
  );
  onTestFinished(() => program.stop());
  const [, address = ""] = await program.waitForLog(/serving metrics on https:\/\/([^/"]+)/, LIMIT_MS);
  await program.waitForLog(/first poll finished/, LIMIT_MS);
  return { program, address, sensors: simulator.world.list("sensor").length };
}

async function scrape(binary: string, target: string, job: Record<string, unknown>): Promise<Prometheus> {
  const tls_config = { ca_file: certificates.path("ca.pem"), server_name: "localhost" };
  const scrapeJob = { scheme: "https", tls_config, ...job };
  // Same timeout: the first bcrypt check takes part of a second.
  const prometheus = await Prometheus.start({
    ...{ binary, target, interval: "3s", scrapeJob },
    flags: ["--log.level=debug"],
  });
  onTestFinished(() => prometheus.stop());
  return prometheus;
}

/** The first poll's page is ready shortly after the poll. */
async function expectAllSensors(prometheus: Prometheus, { sensors }: RunningExporter): Promise<void> {
  const found = () => prometheus.seriesCount("prtg_sensor_status_code");
  await vi.waitFor(async () => expect(await found()).toBe(sensors), { timeout: LIMIT_MS, interval: 100 });
}

/** A timed-out scrape does not show the exporter's answer. */
async function failedTarget(prometheus: Prometheus): Promise<Target> {
  const deadline = Date.now() + LIMIT_MS;
  for (;;) {
    const [target] = await prometheus.targets();
    const { health, lastError = "" } = target ?? {};
    if (target && health === "down" && !lastError.includes("deadline exceeded")) return target;
    if (Date.now() > deadline) throw new Error(`the target is ${health} (${lastError}): ${prometheus.log()}`);
    await sleep(50);
  }
}
