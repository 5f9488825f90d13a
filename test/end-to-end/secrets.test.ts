import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { createProgram } from "../../src/cli/program.ts";
import { Redactor } from "../../src/errors/redactor.ts";
import { type RunningCommand, runCommand, startCommand } from "../support/command-line.ts";
import { CREDENTIALS, simulateServer } from "../support/simulated-server.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** Each is used by another server of the configuration. */
const SECRETS = {
  key: CREDENTIALS.apiKey,
  password: CREDENTIALS.password,
  wrongPassword: "not the password of anyone",
  echoedKey: "echo/key+4711?&=%~",
  echoedPassword: 'écho "password"\\ & more',
  digits: "20260417",
};

/** As they are, in JSON, in URLs and forms, in base64. */
function formsOf(secret: string): string[] {
  const url = encodeURIComponent(secret);
  return [
    secret,
    JSON.stringify(secret).slice(1, -1),
    JSON.stringify(JSON.stringify(secret)).slice(3, -3),
    url,
    url.replaceAll("%20", "+"),
    url.toLowerCase(),
    Buffer.from(secret).toString("base64").replace(/=+$/, ""),
    Buffer.from(secret).toString("base64url"),
  ];
}

function expectNoSecret(text: string, where: string): void {
  for (const [name, secret] of Object.entries(SECRETS)) {
    for (const form of formsOf(secret)) expect(text.includes(form), `${name} as ${form} in ${where}`).toBe(false);
  }
}

/** Refuses everything but the health check, and repeats what it was given in every way it can think of. */
async function startEcho(): Promise<string> {
  const server = createServer(
    (request, response) => void echo(request, response).catch((error: unknown) => response.destroy(Error(`${error}`))),
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  return `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;
}

const ECHOES = [500, 400, 503, 403, 302, 401];
let echoes = 0;

async function echo(request: IncomingMessage, response: ServerResponse): Promise<void> {
  let body = "";
  for await (const chunk of request) body += String(chunk);
  if (request.url === "/api/v2/health") {
    response.writeHead(204).end();
    return;
  }
  const token = /^Bearer (.*)$/.exec(request.headers.authorization ?? "")?.[1];
  const login: unknown = body === "" ? {} : JSON.parse(body);
  const secret =
    token ?? (typeof login === "object" && login !== null && "password" in login ? `${login.password}` : "");
  const status = body === "" ? (ECHOES[echoes++ % ECHOES.length] ?? 500) : 401;
  response.writeHead(status, {
    "Content-Type": "application/json",
    "X-Request-Id": encodeURIComponent(secret),
    Location: `https://proxy.example.com/login?key=${encodeURIComponent(secret)}`,
  });
  const message = `no access with ${formsOf(secret).join(" or ")} or ${body}`;
  response.end(JSON.stringify({ code: "REFUSED", message, request_id: secret }));
}

async function startServers(): Promise<{ folder: string; config: string }> {
  const simulator = await simulateServer();
  const echoing = await startEcho();
  const digits = await simulateServer({ credentials: { ...CREDENTIALS, password: SECRETS.digits } });
  const user = CREDENTIALS.username;
  const config = `servers:
  - { name: key, url: "${simulator.url}", auth: { api_key_file: key } }
  - { name: login, url: "${simulator.url}", auth: { username: ${user}, password_file: password } }
  - { name: refused, url: "${simulator.url}", auth: { username: ${user}, password_file: wrongPassword } }
  - { name: digits, url: "${digits.url}", auth: { username: ${user}, password_file: digits } }
  - { name: echo-key, url: "${echoing}", auth: { api_key: "\${ECHOED_KEY}" } }
  - { name: echo-login, url: "${echoing}", auth: { username: ${user}, password_file: echoedPassword } }
collectors:
  health: { schedule: 1s }
  tree: { schedule: 1s }
  status: { schedule: 1s }
  channels: { schedule: 1s }
`;
  const folder = temporaryFolder({ ...SECRETS, "prtg.yaml": config });
  return { folder, config: join(folder, "prtg.yaml") };
}

/** Everything that the exporter's web server has, in every form. */
async function everyAnswer(url: string): Promise<string> {
  const requests: readonly (readonly [path: string, init: RequestInit])[] = [
    ["/", {}],
    ["/-/healthy", {}],
    ["/-/ready", {}],
    ["/nothing?key=x", {}],
    ["/debug/cardinality", {}],
    ["/debug/explain?object=2490", { headers: { Accept: "application/json" } }],
    ["/metrics", { method: "POST" }],
    ["/metrics", { headers: { Accept: "text/plain;version=0.0.4" } }],
    ["/metrics", { headers: { Accept: "text/plain;version=1.0.0;escaping=dots" } }],
    ["/metrics", { headers: { Accept: "application/openmetrics-text;version=1.0.0" } }],
  ];
  const answers = requests.map(async ([path, init]) => {
    const response = await fetch(`${url}${path}`, init);
    return `${JSON.stringify([...response.headers])}\n${await response.text()}`;
  });
  return (await Promise.all(answers)).join("\n");
}

function commandLine({ pid }: RunningCommand): string {
  return process.platform === "linux" ? readFileSync(`/proc/${pid}/cmdline`, "utf8") : "";
}

describe("secrets", () => {
  test("appear nowhere: not in logs, results, pages, errors or the process list", async () => {
    const { config } = await startServers();
    const common = ["--config.file", config, "--log.level", "debug"];
    const env = { ECHOED_KEY: SECRETS.echoedKey };
    const json = startCommand(["serve", ...common, "--log.format", "json", "--web.listen-address", "127.0.0.1:0"], {
      env,
    });
    const others = {
      check: runCommand(["check", ...common, "--log.format", "text"], { env }),
      once: runCommand(["serve", "--once", ...common, "--log.format", "text"], { env }),
    };
    const url = await json.url();
    await json.until(/first poll finished/);
    await vi.waitFor(() => expect(json.stderr.match(/"endpoint":"\/health"/g)?.length).toBeGreaterThan(12), 40_000);
    expectNoSecret(commandLine(json), "the process list");
    expectNoSecret(await everyAnswer(url), "an answer");
    json.kill("SIGTERM");
    const serve = await json.ended;
    for (const [name, { stdout, stderr }] of Object.entries({
      serve,
      check: await others.check,
      once: await others.once,
    })) {
      expectNoSecret(stdout, `stdout of ${name}`);
      expectNoSecret(stderr, `stderr of ${name}`);
      // What was echoed did come in, and was taken out.
      expect(stdout + stderr, name).toContain("no access with [redacted] or");
      expect(stdout + stderr, name).toContain("HTTP 401 LOGIN_FAILED");
    }
    expect((await others.check).stdout).toMatch(/^digits +channels +ok /m);
    expect((await others.once).stdout).toContain('prtg_up{server="login"} 1');
    expectLogLines(serve.stderr);
  });

  /** In the same run, which has requests of every outcome. */
  function expectLogLines(log: string): void {
    const lines = log
      .trimEnd()
      .split("\n")
      .map((line): Record<string, unknown> => JSON.parse(line));
    expect(lines.length).toBeGreaterThan(50);
    const answered = lines.filter(({ endpoint, status }) => endpoint !== undefined && /^\d+$/.test(String(status)));
    expect(answered.length).toBeGreaterThan(30);
    for (const line of lines) {
      expect(line).toMatchObject({
        level: expect.any(String),
        time: expect.stringMatching(/^\d{4}-.*Z$/),
        msg: expect.any(String),
      });
      if (line.server === "echo-key" || line.server === "echo-login") continue;
      if (answered.includes(line) || line.code !== undefined)
        expect(line.request_id, JSON.stringify(line)).toMatch(/^[0-9a-f]{32}$/);
    }
  }

  test("of the demo, which nobody knows, are in none of its outputs", async () => {
    const demo = startCommand([
      "demo",
      "--sensors",
      "20",
      "--log.level",
      "debug",
      "--log.format",
      "json",
      "--web.listen-address",
      "127.0.0.1:0",
    ]);
    await demo.until(/Open (\S+)/);
    const answers = (await everyAnswer(await demo.url())) + commandLine(demo);
    demo.kill("SIGTERM");
    const { stdout, stderr } = await demo.ended;
    const log = stderr
      .trimEnd()
      .split("\n")
      .map((line): Record<string, unknown> => JSON.parse(line));
    // The key is 32 hexadecimal digits, as request IDs are.
    const requestIds = new Set(log.map(({ request_id }) => request_id));
    expect(requestIds.size).toBeGreaterThan(10);
    for (const [digits] of `${answers}${stdout}${stderr}`.matchAll(/[0-9a-f]{32}/g)) {
      expect(requestIds).toContain(digits);
    }
  });

  test.each(["serve", "check"])("cannot be given to %s on the command line", (name) => {
    const command = createProgram({ code: 0, redactor: new Redactor() }).commands.find((each) => each.name() === name);
    const flags = command?.options.map(({ long }) => long) ?? [];
    expect(flags).toContain("--config.file");
    expect(flags.filter((flag) => /key|pass|secret|token|user|auth/.test(flag ?? ""))).toEqual([]);
  });
});
