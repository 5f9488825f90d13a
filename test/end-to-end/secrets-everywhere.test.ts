import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { hash } from "bcryptjs";
import { expect, onTestFinished, test, vi } from "vitest";
import { LOG_FORMATS, LOG_LEVELS } from "../../src/telemetry/logger.ts";
import { runCommand, startCommand } from "../support/command-line.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { expectWithout } from "./support/secret-forms.ts";

/** Each in its own place, none in a test's text. */
const SECRETS = {
  apiKey: "K3y/+planted=&%~",
  password: 'pläntëd "pass\\word"',
  envPassword: "planted-by-environment",
  bearer: "planted.bearer+token/7",
  headerOfFile: "planted header of a file",
  headerOfVariable: "planted:header:variable",
  endpointPassword: "planted-endpoint-pw!",
  webPassword: "planted web password",
};

function expectClean(text: string, where: string, more: readonly string[] = []): void {
  expectWithout([...Object.values(SECRETS), ...more], text, where);
}

/** Echoes headers, bodies and Basic credentials. */
async function startEcho(): Promise<string> {
  const statuses = [401, 500, 403, 400, 503, 302];
  let asked = 0;
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    request.on("error", () => undefined);
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks).toString("latin1").slice(0, 300);
    const headers = Object.values(request.headers).flat().join(" ");
    const credentials = /^\w+ +(.*)$/.exec(request.headers.authorization ?? "")?.[1] ?? "";
    const plain = Buffer.from(credentials, "base64").toString();
    const told = [headers, body, credentials, plain, encodeURIComponent(credentials), JSON.stringify(credentials)].join(
      " | ",
    );
    response.writeHead(statuses[asked++ % statuses.length] ?? 500, {
      "Content-Type": "application/json",
      "X-Request-Id": encodeURIComponent(credentials).slice(0, 200),
      Location: `https://proxy.example.com/login?key=${encodeURIComponent(credentials)}`,
    });
    response.end(JSON.stringify({ code: "NO", message: told, request_id: credentials }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const ENV = {
  ENV_PASSWORD: SECRETS.envPassword,
  BEARER: `Bearer ${SECRETS.bearer}`,
  TENANT: SECRETS.headerOfVariable,
};

async function plant() {
  const echo = await startEcho();
  const bcrypt = await hash(SECRETS.webPassword, 4);
  const rest = `collectors: { health: { schedule: 1s }, tree: { schedule: 1s }, status: { schedule: 1s }, channels: { schedule: 1s } }
otlp:
  interval: 1s
  headers: { X-Tenant: "\${TENANT}", X-Token: "\${BEARER}" }
  header_files: { X-Other: other }
  resource_attributes: { deployment.environment.name: test }
`;
  const config = `servers:
  - { name: key, url: "http://${echo}", auth: { api_key_file: key } }
  - { name: login, url: "http://${echo}", auth: { username: someone, password_file: password } }
  - { name: variable, url: "http://${echo}", auth: { username: other, password: "\${ENV_PASSWORD}" } }
${rest}`;
  const folder = temporaryFolder({
    "prtg.yaml": config,
    "web.yaml": `basic_auth_users: { someone: ${bcrypt} }\n`,
    key: SECRETS.apiKey,
    password: SECRETS.password,
    other: SECRETS.headerOfFile,
  });
  const flags = ["--config.file", join(folder, "prtg.yaml"), "--web.config.file", join(folder, "web.yaml")];
  const endpoint = `http://user:${encodeURIComponent(SECRETS.endpointPassword)}@${echo}`;
  return { folder, config, flags, bcrypt, env: { ...ENV, OTEL_EXPORTER_OTLP_ENDPOINT: endpoint } };
}

const PATHS = [
  "/",
  "/metrics",
  "/status.json",
  "/debug/cardinality",
  "/debug/explain?object=1",
  "/debug/runs",
  "/debug/runs?server=key",
  "/debug/runs?server=login",
  "/-/ready",
  "/-/healthy",
  `/nothing?key=${encodeURIComponent("x")}`,
];

test("pages, metrics, reload answers and logs contain no secret", async () => {
  const { folder, config, flags, bcrypt, env } = await plant();
  const serving = ["serve", ...flags, "--web.listen-address", "127.0.0.1:0", "--web.enable-lifecycle"];
  const serve = startCommand([...serving, "--log.level", "debug", "--log.format", "text"], { env });
  const others = LOG_LEVELS.flatMap((level) => LOG_FORMATS.map((format) => [level, format] as const))
    .filter((_, index) => index % 2 === 1)
    .map(async ([level, format]) => {
      const logged = ["--log.level", level, "--log.format", format];
      const { stdout, stderr } = await runCommand(["serve", "--once", ...flags, ...logged], { env });
      expectClean(stdout + stderr, `serve --once, ${level} as ${format}`, [bcrypt]);
      expect(stdout, stderr).toContain('prtg_up{server="login"} 0');
    });
  const checks = ["check", "serve --config.check"].map(async (command) => {
    const webFlags = command === "check" ? flags : [...flags, "--log.level", "debug"];
    const { stdout, stderr } = await runCommand([...command.split(" "), ...webFlags], { env });
    expectClean(stdout + stderr, command, [bcrypt]);
  });
  const elsewhere = Promise.all([...others, ...checks]);
  // Report the first failure.
  elsewhere.catch(() => undefined);
  const url = await serve.url();
  const authorization = `Basic ${Buffer.from(`someone:${SECRETS.webPassword}`).toString("base64")}`;
  const answer = async (path: string, init: RequestInit = {}) => {
    const response = await fetch(url + path, { ...init, headers: { authorization } });
    return `${response.status} ${JSON.stringify([...response.headers])}\n${await response.text()}`;
  };
  await serve.until(/first poll finished/);
  // Waits for the receiver's echo.
  await vi.waitFor(() => expect(serve.stderr).toMatch(/OTLP/), { timeout: 40_000 });
  for (const path of PATHS) expectClean(await answer(path), path, [bcrypt]);
  const runs = await answer("/debug/runs?server=key");
  for (const shown of ["log of this run of", "request failed", "[redacted]"]) expect(runs).toContain(shown);
  expectClean(readFileSync(`/proc/${serve.pid}/cmdline`, "utf8"), "the process list", [bcrypt]);
  expect(await answer("/metrics")).toContain('prtg_up{server="login"} 0');
  const reload = () => answer("/-/reload", { method: "POST" });
  writeFileSync(join(folder, "prtg.yaml"), config.replace("schedule: 1s", "schedule: 2s"));
  expectClean(await reload(), "a reload that works");
  writeFileSync(join(folder, "prtg.yaml"), `${config}api_key: ${SECRETS.apiKey}\n`);
  const refused = await reload();
  expect(refused).toMatch(/^500 /);
  expectClean(refused, "a reload that is refused");
  writeFileSync(join(folder, "other"), "\n");
  writeFileSync(join(folder, "prtg.yaml"), config.replace("api_key_file: key", `api_key: ${SECRETS.apiKey}`));
  expectClean(await reload(), "a reload with a literal key");
  expectClean(await answer("/metrics"), "the metrics in the end", [bcrypt]);
  await elsewhere;
  serve.kill("SIGTERM");
  const { stdout, stderr } = await serve.ended;
  expectClean(stdout + stderr, "the log of serve", [bcrypt]);
  expect(stderr).toContain("[redacted]");
}, 120_000);
