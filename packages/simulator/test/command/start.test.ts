import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "node:tls";
import { describe, expect, onTestFinished, test } from "vitest";
import { certificatePath, keyPair } from "../../../../test/support/certificates.ts";
import { DEFAULT_ADDRESS, listenAddressOf, SHIPPED_SCENARIOS } from "../../src/command/flags.ts";
import { introduce, loadScenario, type ServiceMode, startService, timetable } from "../../src/command/start.ts";
import { ScenarioRun } from "../../src/scenario/run.ts";

const CREDENTIALS = { apiKey: "key", username: "user", password: "password" };
const ADDRESS = { host: "127.0.0.1", port: 0 };
const SMALL = { seed: 1, spelling: "live", release: "26.3", fault: [], sensors: 45 } as const;

async function scenarioFile(text: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "scenario-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, "test.yaml");
  await writeFile(file, text);
  return file;
}

describe("scenario", () => {
  test("is part of the program and has a name", async () => {
    const files = await readdir(new URL("../../scenarios/", import.meta.url));
    expect(files.toSorted()).toEqual(SHIPPED_SCENARIOS.map((name) => `${name}.yaml`));
    for (const name of SHIPPED_SCENARIOS) {
      expect((await loadScenario(name)).spec.steps.length).toBeGreaterThan(3);
    }
  });

  test("names file, line and column of an error", async () => {
    const file = await scenarioFile("name: x\nsteps:\n  - at: noon\n    select: { id: 1 }\n    status: down\n");
    await expect(loadScenario(file)).rejects.toMatchObject({
      code: "SCENARIO_INVALID",
      message: expect.stringMatching(/^the scenario cannot run\n.*test\.yaml:3:5: steps\[0\]\.at: expected a time/),
    });
  });

  test("stops the start if the world cannot play it", async () => {
    const file = await scenarioFile("name: x\nsteps:\n  - { at: +1m, select: { id: 77 }, status: down }\n");
    await expect(startService({ ...SMALL, scenario: file }, ADDRESS, CREDENTIALS)).rejects.toMatchObject({
      code: "SCENARIO_INVALID",
      message: expect.stringContaining("there is no object with the id 77"),
    });
  });

  test("starts with simulated time and prints a timetable", async () => {
    const file = await scenarioFile("name: renaming\nsteps:\n  - { at: +1m, select: { id: 1 }, rename: x }\n");
    const startAt = Date.UTC(2026, 2, 12, 8);
    const mode = { startAt, speed: 1 };
    const simulator = await startService({ ...SMALL, scenario: file }, ADDRESS, CREDENTIALS, mode);
    onTestFinished(() => simulator.close());
    expect(simulator.now() - startAt).toBeLessThan(10_000);
    expect(simulator.scenarios.runs.map(timetable)).toEqual([
      "playing: renaming\n  2026-03-12T08:01:00Z  rename to x: the probe 1 (Local Probe)",
    ]);
  });

  test("prints a timetable without steps", () => {
    const run = new ScenarioRun({ name: "empty", begin: 0, steps: [], changes: [], cancel: () => undefined });
    expect(timetable(run)).toBe("playing: empty");
  });
});

test.each([
  [{}, false],
  [{ acknowledgementMessages: true }, true],
] as const)("with the flags %j, the message of an acknowledgement is shown: %s", async (mode, isShown) => {
  const { world, now, close } = await startService(SMALL, ADDRESS, CREDENTIALS, mode);
  onTestFinished(close);
  const [sensor] = world.list("sensor");
  if (sensor === undefined) throw new Error("no sensor");
  world.force(sensor.id, "down", now());
  world.acknowledge(sensor.id, now(), "on it");
  expect(world.state(sensor, now()).message === "on it").toBe(isShown);
});

test("the same seed and start serve the same bytes", async () => {
  const startAt = Date.UTC(2026, 2, 12, 8);
  const bodies: string[] = [];
  for (const run of [1, 2]) {
    const simulator = await startService(SMALL, ADDRESS, CREDENTIALS, { startAt, speed: 1 });
    simulator.freezeAt(startAt + 60_000 * 5);
    const headers = { Authorization: `Bearer ${CREDENTIALS.apiKey}` };
    const response = await fetch(`${simulator.url}/api/v2/experimental/channels?limit=3000`, { headers });
    bodies.push(await response.text());
    await simulator.close();
    expect(response.status, `run ${run}`).toBe(200);
  }
  expect(bodies[1]).toBe(bodies[0]);
});

describe("TLS", () => {
  async function startTls(mode: ServiceMode, host = ADDRESS.host) {
    const simulator = await startService(SMALL, { host, port: 0 }, CREDENTIALS, mode);
    onTestFinished(() => simulator.close());
    return simulator;
  }

  /** The certificate of the server, without trust. */
  async function certificateAt(port: number): Promise<X509Certificate> {
    const socket = connect({ host: ADDRESS.host, port, rejectUnauthorized: false });
    await once(socket, "secureConnect");
    const certificate = socket.getPeerX509Certificate();
    socket.destroy();
    return certificate ?? expect.fail("no certificate");
  }

  test("makes a certificate that a client can trust as it is", async () => {
    const { url, port, fingerprint } = await startTls({ tls: true });
    expect(url).toMatch(/^https:/);
    const certificate = await certificateAt(port);
    expect(certificate.fingerprint256).toBe(fingerprint);
    for (const name of ["localhost", hostname()]) expect(certificate.checkHost(name), name).toBe(name);
    for (const ip of ["127.0.0.1", "::1"]) expect(certificate.checkIP(ip), ip).toBe(ip);
    const days = (certificate.validToDate.getTime() - Date.now()) / 86_400_000;
    expect(Math.round(days)).toBe(365);
    const socket = connect({ host: "localhost", port, ca: certificate.toString() });
    await once(socket, "secureConnect");
    expect(socket.authorized).toBe(true);
    socket.destroy();
  });

  test("makes another certificate at each start", async () => {
    const [first, second] = [await startTls({ tls: true }), await startTls({ tls: true })];
    expect(first.fingerprint).not.toBe(second.fingerprint);
  });

  test("serves a given certificate", async () => {
    const tlsCert = certificatePath("localhost.pem");
    const simulator = await startTls({ tlsCert, tlsKey: certificatePath("localhost.key.pem") });
    const expected = new X509Certificate(keyPair("localhost").cert).fingerprint256;
    expect((await certificateAt(simulator.port)).fingerprint256).toBe(expected);
    const flags = { ...SMALL, ...CREDENTIALS, listenAddress: ADDRESS, readApiKey: "read", speed: 1 };
    expect(introduce(simulator, flags)).toContain(`SHA-256 fingerprint of the certificate: ${expected}`);
  });

  test.each([
    [{ tlsCert: "/no/cert.pem", tlsKey: "/no/key.pem" }, "/no/cert.pem with the key /no/key.pem"],
    [{ tlsCert: certificatePath("localhost.pem"), tlsKey: certificatePath("expired.key.pem") }, "expired.key.pem"],
  ] as const)("refuses %j", async (mode, message) => {
    await expect(startTls(mode)).rejects.toMatchObject({
      code: "CA_UNREADABLE",
      message: expect.stringContaining(message),
    });
  });

  test.each([
    [{}, 1615],
    [{ tls: true }, 1616],
    [{ tlsCert: "cert.pem", tlsKey: "key.pem" }, 1616],
  ] as const)("with %j listens on the port of PRTG, %i", (flags, port) => {
    expect(listenAddressOf({ ...flags, listenAddress: DEFAULT_ADDRESS })).toEqual({ host: "127.0.0.1", port });
    expect(listenAddressOf({ ...flags, listenAddress: { host: "::", port: 7 } })).toEqual({ host: "::", port: 7 });
  });
});

test("the key with read access sees everything and changes nothing", async () => {
  const credentials = { ...CREDENTIALS, readApiKey: "read" };
  const simulator = await startService(SMALL, ADDRESS, credentials);
  onTestFinished(() => simulator.close());
  const headers = { Authorization: "Bearer read" };
  const api = `${simulator.url}/api/v2`;
  const list = await fetch(`${api}/experimental/sensors`, { headers });
  expect(list.headers.get("x-total-count")).toBe(String(simulator.world.list("sensor").length));
  expect((await (await fetch(`${api}/experimental/users`, { headers })).json()) as unknown).toMatchObject([
    { name: "Read-only User" },
  ]);
  const id = simulator.world.list("sensor")[0]?.id;
  expect((await fetch(`${api}/sensors/${id}/pause`, { method: "POST", headers })).status).toBe(403);
});
