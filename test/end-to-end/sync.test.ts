import { mkdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { systemClock } from "../../src/lib/clock.ts";
import { runCommand, startCommand } from "../support/command-line.ts";
import { CREDENTIALS, simulateServer } from "../support/simulated-server.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { startFakeAlertmanager } from "../sync/support/fake-alertmanager.ts";

const HOUR = 60 * 60_000;

/** Two sensors are down: a silence covers the first, and a person has acknowledged the second. */
async function startSides(key = CREDENTIALS.apiKey) {
  const simulator = await simulateServer();
  const { fake, url, close } = await startFakeAlertmanager({ clock: systemClock });
  const [covered = "", acknowledged = ""] = simulator.world.list("sensor").map(({ id }) => id);
  const now = Date.now();
  for (const id of [covered, acknowledged]) simulator.world.force(id, "down", now);
  simulator.world.acknowledge(acknowledged, now, "bob is on it");
  fake.alerts.push({ alertname: "PrtgSensorDown", server: "hq", sensor_id: covered });
  const matchers = [{ name: "sensor_id", value: covered, isRegex: false, isEqual: true }];
  fake.put({ matchers, startsAt: now, endsAt: now + 2 * HOUR, createdBy: "ann", comment: "new disks" });
  const folder = temporaryFolder({
    "prtg.yaml": `
servers: [{ name: hq, url: "${simulator.url}", auth: { api_key: "\${KEY}" }, limits: { requests_per_second: 1000 } }]
state_dir: state
sync:
  alertmanager: { url: "${url}" }
  servers: { hq: { api_key: "\${SYNC_KEY}" } }
  interval: 5s
`,
  });
  const config = ["--config.file", join(folder, "prtg.yaml")];
  const env = { KEY: CREDENTIALS.readApiKey, SYNC_KEY: key };
  const status = (id: string) => {
    const sensor = simulator.world.list("sensor").find((each) => each.id === id);
    return sensor && simulator.world.state(sensor, Date.now()).status;
  };
  return { simulator, fake, close, folder, config, env, covered, acknowledged, status };
}

test("--dry-run prints what would change, and changes nothing", async () => {
  const { fake, close, config, env, covered, acknowledged, status } = await startSides();
  const { code, stdout, stderr } = await runCommand(["sync", "--dry-run", ...config], { env });
  await close();
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toMatch(
    new RegExp(`^would +acknowledge for 60 min +hq/${covered} .* ann: new disks \\(silence `, "m"),
  );
  expect(stdout).toMatch(
    new RegExp(`^would +create silence +server="hq", sensor_id="${acknowledged}" +Acknowledged`, "m"),
  );
  expect([status(covered), fake.silences.length]).toEqual(["down", 1]);
});

test("--dry-run does not say that both sides agree if PRTG refuses the key", async () => {
  const { close, config, env } = await startSides("key-that-nobody-knows");
  const { code, stdout } = await runCommand(["sync", "--dry-run", ...config], { env });
  await close();
  expect(code).toBe(1);
  expect(stdout).toMatch(/^unknown +hq +the server could not be read$/m);
});

test("an audit log that cannot be written stops all changes, and the log says what to do", async () => {
  const { fake, close, folder, config, env, covered, status } = await startSides();
  mkdirSync(join(folder, "state/sync-audit.jsonl"), { recursive: true });
  const command = startCommand(["sync", ...config, "--web.listen-address=127.0.0.1:0"], { env });
  await command.until(/SYNC_AUDIT_UNWRITABLE.*Check that sync.audit_log is a file/);
  command.kill("SIGTERM");
  await command.ended;
  await close();
  expect([status(covered), fake.silences.length]).toEqual(["down", 1]);
});

test("acknowledges, silences, and ends the silence with the acknowledgement", async () => {
  const { simulator, fake, close, folder, config, env, covered, acknowledged, status } = await startSides();
  const command = startCommand(["sync", ...config, "--web.listen-address=127.0.0.1:0"], { env });
  const own = () =>
    fake.silences.filter(({ createdBy }) => createdBy === "PRTG hq").map((silence) => fake.stateOf(silence));
  await expect.poll(() => status(covered), { timeout: 30_000 }).toBe("acknowledged");
  await expect.poll(own, { timeout: 30_000 }).toEqual(["active"]);
  const page = await (await fetch(`${await command.url()}/metrics`)).text();
  expect(page).toContain('prtg_sync_changes_total{kind="acknowledge",result="done"} 1\n');
  // `serve` has the series of the servers.
  expect(page).not.toMatch(/^prtg_(sensor|channel|node)_/m);
  simulator.world.force(acknowledged, "up", Date.now());
  await expect.poll(own, { timeout: 30_000 }).toEqual(["expired"]);
  command.kill("SIGTERM");
  expect((await command.ended).code).toBe(0);
  await close();
  const path = join(folder, "state/sync-audit.jsonl");
  if (process.platform !== "win32") expect(statSync(path).mode & 0o777).toBe(0o600);
  const audit = readFileSync(path, "utf8").trim().split("\n");
  expect(audit.map((line) => JSON.parse(line)).map(({ kind, result }) => `${kind} ${result}`)).toEqual([
    ...["acknowledge planned", "acknowledge done", "silence planned", "silence done"],
    ...["expire planned", "expire done"],
  ]);
});

test("a key that may only read gets one clear error, and check finds it too", async () => {
  const { close, config, env, covered, status } = await startSides(CREDENTIALS.readApiKey);
  const checked = await runCommand(["check", "--sync", ...config], { env });
  expect(checked.code).toBe(1);
  expect(checked.stdout).toMatch(/^hq +acknowledge +FAILED +.*\[API_FORBIDDEN\].* -> .*ACKNOWLEDGE/m);
  const command = startCommand(["sync", ...config, "--web.listen-address=127.0.0.1:0", "--log.format=json"], { env });
  await command.until(/API_FORBIDDEN/);
  // Three more rounds.
  await new Promise((resolve) => setTimeout(resolve, 15_000));
  command.kill("SIGTERM");
  const { stderr } = await command.ended;
  await close();
  expect(stderr.match(/API_FORBIDDEN/g)).toHaveLength(1);
  expect(status(covered)).toBe("down");
});

test("serve needs neither the key nor Alertmanager", async () => {
  const { close, config } = await startSides();
  await close();
  const { code } = await runCommand(["serve", "--once", ...config], { env: { KEY: CREDENTIALS.readApiKey } });
  expect(code).toBe(0);
});
