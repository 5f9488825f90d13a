import { join } from "node:path";
import type { Simulator } from "prtg-simulator/src/simulator.ts";
import { describe, expect, test, vi } from "vitest";
import { certificate, keyPair } from "../support/certificates.ts";
import { runCommand, startCommand } from "../support/command-line.ts";
import { freePort } from "../support/free-port.ts";
import { CREDENTIALS, simulateServer } from "../support/simulated-server.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const FILES = {
  "key.txt": `${CREDENTIALS.readApiKey}\n`,
  "wrong-key.txt": "SOMEOTHERKEY====\n",
  "classic-key.txt": "1234567890\n",
  "part.txt": CREDENTIALS.restrictedApiKey,
  "limited.txt": CREDENTIALS.limitedApiKey,
  "password.txt": CREDENTIALS.password,
  "ca.pem": certificate("ca.pem"),
  "named.pem": certificate("prtg.example.com.pem"),
};
const KEY = "auth: { api_key_file: key.txt }";
const LOGIN = `auth: { username: ${CREDENTIALS.username}, password_file: password.txt }`;

function tlsServer(name: string): Promise<Simulator> {
  return simulateServer({ tls: keyPair(name) });
}

async function faultyUrl(...faults: string[]): Promise<string> {
  return (await simulateServer({ faults })).url;
}

interface Case {
  readonly url: string;
  /** Default: the right key. */
  readonly settings?: string;
  /** Subject of the only FAILED line. */
  readonly fails: string;
  readonly because: RegExp;
  readonly remedy: RegExp;
}

function configOf(servers: Readonly<Record<string, { url: string; settings?: string }>>): string {
  return `servers:\n${Object.entries(servers)
    .map(([name, { url, settings = KEY }]) => `  - { name: "${name}", url: "${url}", ${settings} }\n`)
    .join("")}`;
}

async function badServers(coreDown: Simulator): Promise<Readonly<Record<string, Case>>> {
  const [plain, secure, named, blind] = await Promise.all([
    simulateServer(),
    tlsServer("localhost"),
    tlsServer("prtg.example.com"),
    simulateServer({ credentials: { ...CREDENTIALS, restrictedTo: [] } }),
  ]);
  return {
    "classic web port": {
      url: await faultyUrl("redirect"),
      fails: "connection",
      because: /HTTP 302 redirect/,
      remedy: /classic web server\. API v2 listens on 1616/,
    },
    "something else": {
      url: await faultyUrl("html"),
      fails: "connection",
      because: /type text\/html instead of JSON/,
      remedy: /check servers\[\]\.url/i,
    },
    "nothing listens": {
      url: `http://127.0.0.1:${await freePort()}`,
      fails: "connection",
      because: /connection refused/,
      remedy: /1616 for HTTPS/,
    },
    "no such name": {
      url: "https://prtg.invalid:1616",
      fails: "connection",
      because: /prtg\.invalid:1616: .*(does not resolve|name resolution failed)/,
      remedy: /DNS/,
    },
    "https to http": {
      url: plain.url.replace("http:", "https:"),
      fails: "connection",
      because: /TLS handshake/,
      remedy: /1615 is HTTP/,
    },
    "http to https": {
      url: secure.url.replace("https:", "http:"),
      fails: "connection",
      because: /connection (closed|reset)/,
      remedy: /1616 is HTTPS/,
    },
    "untrusted certificate": {
      url: secure.url,
      fails: "connection",
      because: /certificate of 127\.0\.0\.1:\d+ is not trusted/,
      remedy: /tls\.ca_file/,
    },
    "other name": {
      url: named.url,
      settings: `${KEY}, tls: { ca_file: named.pem }`,
      fails: "connection",
      because: /is for another name/,
      remedy: /tls\.server_name/,
    },
    "wrong key": {
      url: plain.url,
      settings: "auth: { api_key_file: wrong-key.txt }",
      fails: "login",
      because: /HTTP 401 AUTH_FAILED/,
      remedy: /Check the API key/,
    },
    "key of another form": {
      url: plain.url,
      settings: "auth: { api_key_file: classic-key.txt }",
      fails: "login",
      because: /HTTP 400 BAD_REQUEST: invalid session token or API token format \[API_UNAUTHORIZED\]/,
      remedy: /Check the API key/,
    },
    "classic port, which refuses keys": {
      url: await faultyUrl("unsupported-scheme@/version"),
      fails: "login",
      because: /HTTP 401 .*\[API_WRONG_PORT\]/,
      remedy: /API v2 listens on 1616/,
    },
    "wrong password": {
      url: plain.url,
      settings: `auth: { username: ${CREDENTIALS.username}, password_file: wrong-key.txt }`,
      fails: "login",
      because: /HTTP 401 LOGIN_FAILED/,
      remedy: /auth\.username and auth\.password_file/,
    },
    "no rights": {
      url: await faultyUrl("error=403@/experimental/channels", "error=403@/channels"),
      fails: "channels",
      because: /HTTP 403 FORBIDDEN/,
      remedy: /read access/,
    },
    "sees nothing": {
      url: blind.url,
      settings: "auth: { api_key_file: part.txt }",
      fails: "sensors",
      because: /cannot see any sensors/,
      remedy: /read access to the objects/,
    },
    "values as texts": {
      url: await faultyUrl("text-values=odd"),
      fails: "channels",
      because: /90 visible, but none of \d+ values is a number \[API_VALUES_UNREADABLE\]/,
      remedy: /Report it/,
    },
    "hanging server": {
      url: await faultyUrl("hang"),
      settings: `${KEY}, limits: { timeout: 500ms }`,
      fails: "connection",
      because: /no complete answer within 0\.5 s/,
      remedy: /limits\.timeout/,
    },
    "hanging list": {
      url: await faultyUrl("hang@/experimental/channels"),
      // Enough for 20 servers in one process.
      settings: `${KEY}, limits: { timeout: 4s }`,
      fails: "channels",
      because: /no complete answer within 4 s/,
      remedy: /limits\.timeout/,
    },
    "busy proxy": {
      url: await faultyUrl("error=429,retry-after=5m"),
      fails: "connection",
      because: /HTTP 429/,
      remedy: /limits\.requests_per_second/,
    },
    "no license": {
      url: await faultyUrl("error=503,code=LICENSE_INACTIVE"),
      fails: "connection",
      because: /HTTP 503 LICENSE_INACTIVE/,
      remedy: /Activate the license/,
    },
    "core down": {
      url: coreDown.url,
      fails: "connection",
      because: /HTTP 503 SERVICE_UNAVAILABLE/,
      remedy: /core server service runs/,
    },
    "broken list": {
      url: await faultyUrl("error=500@/experimental/sensors"),
      fails: "sensors",
      because: /HTTP 500 INTERNAL_ERROR.*request ID [0-9a-f]{32}/,
      remedy: /for the request ID/,
    },
    "no API v2": {
      url: await faultyUrl("missing"),
      fails: "connection",
      because: /HTTP 404/,
      remedy: /activate API v2/,
    },
    "old server": {
      url: await faultyUrl("missing@/experimental/channels", "missing=501@/channels", "missing@/experimental/objects"),
      fails: "channels",
      because: /no \/experimental\/channels and no \/channels and no \/experimental\/objects/,
      remedy: /Update the server/,
    },
    "no sensors": {
      url: await faultyUrl("missing@/experimental/sensors", "missing@/sensors", "missing@/experimental/objects"),
      fails: "sensors",
      because: /no \/experimental\/sensors and no \/sensors and no \/experimental\/objects/,
      remedy: /Update the server/,
    },
  };
}

describe("check", () => {
  test("prints one line per faulty server and exits with 1 within seconds", async () => {
    const coreDown = await simulateServer({ faults: ["error=503"] });
    const servers = await badServers(coreDown);
    const folder = temporaryFolder({ ...FILES, "prtg.yaml": configOf(servers) });
    const started = performance.now();
    // Limits the wait without a name server.
    const env = { RES_OPTIONS: "timeout:1 attempts:1" };
    const { code, stdout, stderr } = await runCommand(["check", "--config.file", join(folder, "prtg.yaml")], { env });
    expect(stderr).toBe("");
    expect(code).toBe(1);
    // Retries would take two minutes, five with Retry-After.
    expect(performance.now() - started).toBeLessThan(60_000);
    const lines = stdout.trimEnd().split("\n");
    expect(lines.at(-1)).toMatch(/^FAILED: .*classic web port \(connection\)/);
    const table = lines.slice(1, -1).map((line) => {
      const [server, subject, verdict, ...rest] = line.split(/ {2,}/);
      return { server, subject, verdict, text: rest.join("  ") };
    });
    for (const [name, { fails, because, remedy }] of Object.entries(servers)) {
      const failed = table.filter((row) => row.server === name && row.verdict === "FAILED");
      expect(failed, name).toEqual([{ server: name, subject: fails, verdict: "FAILED", text: expect.anything() }]);
      const [what = "", todo = ""] = failed[0]?.text.split(" -> ") ?? [];
      expect(what, name).toMatch(because);
      expect(what, name).toMatch(/\[[A-Z_]+\]/);
      expect(todo, name).toMatch(remedy);
    }
    // No retries for interactive users.
    expect(coreDown.requests.count()).toBe(1);
    for (const secret of Object.values(CREDENTIALS)) {
      if (secret !== CREDENTIALS.username) expect(stdout).not.toContain(secret);
    }
  }, 120_000);

  test("accepts healthy servers and warns of doubtful settings", async () => {
    const [plain, specified, secure, named] = await Promise.all([
      simulateServer(),
      simulateServer({ spelling: "specification" }),
      tlsServer("localhost"),
      tlsServer("prtg.example.com"),
    ]);
    const servers = {
      live: { url: plain.url },
      specification: { url: specified.url },
      login: { url: specified.url, settings: LOGIN },
      authority: { url: secure.url, settings: `${KEY}, tls: { ca_file: ca.pem }` },
      named: { url: named.url, settings: `${KEY}, tls: { ca_file: named.pem, server_name: prtg.example.com }` },
      unchecked: { url: named.url, settings: `${KEY}, tls: { insecure_skip_verify: true }` },
      part: { url: plain.url, settings: "auth: { api_key_file: part.txt }" },
      odd: { url: await faultyUrl("odd-records=10@/experimental/channels") },
      deviceless: {
        url: await faultyUrl("missing@/experimental/devices", "missing@/devices", "missing@/experimental/objects"),
      },
      unlisted: { url: await faultyUrl("missing@/lookup-definitions") },
      counted: { url: await faultyUrl("error=403@/objects/count", "error=403@/sensor-status-summary") },
      bare: { url: await faultyUrl("refuses=include") },
      ahead: { url: await faultyUrl("date=+2h") },
      untold: { url: await faultyUrl("error=403@/lookup-definitions") },
    };
    const folder = temporaryFolder({ ...FILES, "prtg.yaml": configOf(servers) });
    const { code, stdout } = await runCommand(["check", "--config.file", join(folder, "prtg.yaml")]);
    expect(stdout).not.toContain("FAILED");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^live +login +ok +accepted, prtg_version /m);
    expect(stdout).toMatch(/^live +account +ok +the credentials see no other user accounts$/m);
    expect(stdout).toMatch(/^login +account +warning +the credentials see 11 user accounts, like an administrator/m);
    expect(stdout).toMatch(/^live +sensors +ok +30 visible$/m);
    expect(stdout).toMatch(/^login +channels +ok +90 visible, \d+ with a value$/m);
    expect(stdout).toMatch(/^live +lookups +ok +14 visible$/m);
    expect(stdout).toMatch(/^live +limits +ok +\d+ of 90 channels have limits$/m);
    expect(stdout).toMatch(/^live +time series +ok +\d+ rows and \d+ gaps of sensor /m);
    expect(stdout).toMatch(/^live +clock +ok /m);
    // Depends on the machine's load.
    expect(stdout).toMatch(/^live +speed +(ok +at most [\d.]+ s of the \d+ s that a run may take|warning +a run of )/m);
    expect(stdout).toMatch(/^counted +status summary +warning .*: statuses are counted from the sensor list -> /m);
    expect(stdout).toMatch(/^counted +object counts +warning .*HTTP 403.*: objects are counted from the lists -> /m);
    expect(stdout).toMatch(
      /^bare +groups +warning .*intervalgroup: prtg_sensor_interval_seconds and prtg_sensor_down_delay_intervals are missing, sensor_/m,
    );
    expect(stdout).toMatch(/^ahead +clock +warning +the server clock is 7\d{3} s ahead,/m);
    expect(stdout).toMatch(/^unlisted +lookups +ok +not offered by this server: channel states are missing$/m);
    expect(stdout).toMatch(
      /^deviceless +devices +warning .*no \/experimental\/devices and no \/devices and no .*: devices are missing/m,
    );
    const warned = [...stdout.matchAll(/^(\S+) +(\S+) +warning +(.*) -> /gm)].map(([, server, subject]) => [
      server,
      subject,
    ]);
    expect(warned.filter(([, subject]) => subject !== "speed")).toEqual([
      ["login", "account"],
      ["unchecked", "connection"],
      ["part", "visibility"],
      ["odd", "channels"],
      ["odd", "limits"],
      ["deviceless", "devices"],
      ["bare", "sensors"],
      ["bare", "devices"],
      ["bare", "groups"],
      ["bare", "probes"],
      ["bare", "limits"],
      ["ahead", "clock"],
      ["untold", "lookups"],
    ]);
    expect(stdout.trimEnd().split("\n").at(-1)).toBe("ok: everything that serve needs works, with the warnings above");
    const sessions = ["POST", "DELETE"].map((method) => specified.requests.count({ method, route: "/session" }));
    expect(sessions).toEqual([1, 1]);
  });

  test("names the position of an error in the configuration and exits with 1", async () => {
    const yaml = (url: string, file: string, more = "") =>
      `servers:\n  - name: hq\n    url: ${url}\n    auth: { api_key_file: ${file} }\n${more}`;
    const url = "https://prtg.example.com:1616";
    const faults: readonly (readonly [yaml: string, expected: RegExp])[] = [
      [yaml(url, "key.txt", "colectors: {}"), /:5:1: colectors: unknown key, did you mean `collectors`\?/],
      [yaml(url, "key.txt", "collectors: { tree: { schedule: 5 } }"), /:5:33: .*expected a duration.*found 5/],
      [yaml(url, "./nowhere"), /:4:27: servers\[0\]\.auth\.api_key_file: .*cannot be read: no such file/],
      [yaml("prtg.example.com", "key.txt"), /:3:10: servers\[0\]\.url: expected an http or https URL/],
    ];
    const runs = faults.map(async ([text, expected]) => {
      const file = join(temporaryFolder({ ...FILES, "prtg.yaml": text }), "prtg.yaml");
      const { code, stdout, stderr } = await runCommand(["check", "--config.file", file]);
      expect([code, stdout]).toEqual([1, ""]);
      expect(stderr.trimEnd().split("\n")).toHaveLength(1);
      expect(stderr).toMatch(expected);
      expect(stderr).toMatch(/^prtg-exporter: .*prtg\.yaml:.* \[[A-Z_]+\] [A-Z].*(\.|https:\/\/\S+)$/m);
    });
    await Promise.all(runs);
  });

  test("prints its findings on an interruption and ends its session", async () => {
    const simulator = await simulateServer({ faults: ["hang@/experimental/sensors"] });
    const folder = temporaryFolder({
      ...FILES,
      "prtg.yaml": configOf({ hq: { url: simulator.url, settings: LOGIN } }),
    });
    const check = startCommand(["check", "--config.file", join(folder, "prtg.yaml")]);
    await check.until(/^hq +object counts +ok/m);
    await vi.waitFor(() => expect(simulator.requests.inFlight).toBe(1), { timeout: 30_000 });
    check.kill("SIGINT");
    const { code, stdout } = await check.ended;
    expect(code).toBe(130);
    expect(stdout).not.toMatch(/FAILED|^ok/m);
    expect(simulator.requests.count({ method: "DELETE", route: "/session", status: 204 })).toBe(1);
  });
});
