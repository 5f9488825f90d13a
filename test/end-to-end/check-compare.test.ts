import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { runCommand } from "../support/command-line.ts";
import { CREDENTIALS, simulateServer } from "../support/simulated-server.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** An object's own answer. `undefined`: 404. */
type Spoil = (id: string, answer: OwnAnswer) => unknown;

interface OwnAnswer {
  readonly basic?: Readonly<Record<string, unknown>>;
  readonly last_measurement?: { readonly display_value: number | null; readonly timestamp: string };
}

/** Passes requests on, and changes the answers of `/channels/{id}` and `/sensors/{id}`. */
async function startProxy(to: string, spoil: Spoil): Promise<string> {
  const server = createServer(async (request: IncomingMessage, response) => {
    const path = request.url ?? "/";
    const answer = await fetch(`${to}${path}`, { headers: { authorization: request.headers.authorization ?? "" } });
    const [, id] = /^\/api\/v2\/(?:channels|sensors)\/([\d.-]+)$/.exec(path) ?? [];
    let body = await answer.text();
    const spoilt = id === undefined ? undefined : spoil(id, JSON.parse(body));
    const isGone = id !== undefined && spoilt === undefined;
    if (isGone) body = JSON.stringify({ code: "NOT_FOUND", message: "gone", request_id: "r" });
    else if (spoilt !== undefined) body = JSON.stringify(spoilt);
    response.writeHead(isGone ? 404 : answer.status, {
      "content-type": answer.headers.get("content-type") ?? "application/json",
      date: answer.headers.get("date") ?? "",
    });
    response.end(answer.status === 204 ? undefined : body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const SETTINGS = "mapping: { presets: [base-units], keep_original: false }\n";

async function compare(spoil: Spoil, ...flags: readonly string[]) {
  const simulator = await simulateServer();
  // The lists do not change between the polls.
  simulator.freezeAt(Date.now());
  const url = await startProxy(simulator.url, spoil);
  const limits = "limits: { requests_per_second: 1000 }";
  const yaml = `servers: [{ name: hq, url: "${url}", auth: { api_key: "\${KEY}" }, ${limits} }]\n${SETTINGS}`;
  const folder = temporaryFolder({ "prtg.yaml": yaml });
  const output = join(folder, "summary.json");
  const args = ["check", "--config.file", join(folder, "prtg.yaml"), "--compare.output", output, ...flags];
  const { code, stdout, stderr } = await runCommand(args, { env: { KEY: CREDENTIALS.apiKey } });
  expect(stderr).toBe("");
  const { servers, seed } = JSON.parse(readFileSync(output, "utf8"));
  return { code, stdout, seed, server: servers[0], world: simulator.world };
}

test("all objects agree with their own endpoints", async () => {
  const asked = new Set<string>();
  const { code, stdout, seed, server } = await compare(
    (id, answer) => {
      asked.add(id);
      return answer;
    },
    ...["--compare", "60", "--compare.seed", "7"],
  );
  expect(stdout).toMatch(/^hq: comparing 60 of 120 channels and sensors, at least 1 s \(--compare\.seed 7\)$/m);
  expect(stdout).toMatch(/^hq +agreement +ok +60 of 60 objects agree/m);
  expect([code, seed]).toEqual([0, 7]);
  expect(server).toMatchObject({ agree: 60, differ: 0, changed_meanwhile: 0, not_read: 0, differences: [] });
  expect(asked.size).toBe(60);
});

test("each kind of difference is in the table and in the summary", async () => {
  const spoilt = new Map<string, string>();
  const { code, stdout, server } = await compare(
    (id, answer) => {
      const { last_measurement: last, basic } = answer;
      const isSensor = !id.includes(".");
      const kinds = isSensor ? ["status", "time", "object", ""] : ["value", "unit", "time", "object", ""];
      const hasValue = isSensor || typeof last?.display_value === "number";
      const kind = (hasValue && kinds[Number(id.replace(".", "")) % kinds.length]) || "";
      if (kind !== "") spoilt.set(id, kind);
      switch (kind) {
        case "value":
          return { ...answer, last_measurement: { ...last, display_value: Number(last?.display_value) + 1 } };
        case "unit":
          return { ...answer, basic: { ...basic, displayunit: "parsec" } };
        case "time":
          if (isSensor) return { ...answer, status_since: "2020-01-01T00:00:00Z" };
          return { ...answer, last_measurement: { ...last, timestamp: "2020-01-01T00:00:00Z" } };
        case "status":
          return { ...answer, status: "UNUSUAL" };
        case "object":
          return undefined;
        default:
          return answer;
      }
    },
    // The table has room for 50 differences only, so the seed decides which of them are there.
    ...["--compare", "1000", "--compare.seed", "7"],
  );
  expect(code).toBe(1);
  expect(stdout).toMatch(
    /^hq +agreement +FAILED +\d+ of 120 objects agree \(120 are known\); \d+ differ in object, status, time, unit, value/m,
  );
  expect(stdout).toMatch(/^SERVER +OBJECT +DIFFERS IN +\/METRICS +OWN ENDPOINT +METRIC$/m);
  expect(stdout).toMatch(/^hq +\d+ +status +\w+ +unusual$/m);
  expect(stdout).toMatch(/^FAILED: hq \(agreement\)$/m);
  const { differences } = server as { differences: readonly { object: string; kind: string }[] };
  const found = new Map(differences.map(({ object, kind }) => [object, kind]));
  // The page withholds the value of a paused sensor.
  const withheld = [...spoilt].filter(([id, kind]) => kind === "value" && !found.has(id));
  for (const [id] of withheld) spoilt.delete(id);
  expect(withheld.length).toBeLessThanOrEqual(Object.values<number>(server.without_value).reduce((a, b) => a + b, 0));
  expect(found).toEqual(spoilt);
  expect(new Set(found.values())).toEqual(new Set(["status", "time", "object", "value", "unit"]));
  expect(server.agree + server.differ).toBe(120);
});

test("a server without these endpoints proves nothing", async () => {
  const simulator = await simulateServer({ faults: ["error=500@/channels/*", "error=500@/sensors/*"] });
  const yaml = `servers: [{ name: hq, url: "${simulator.url}", auth: { api_key: "\${KEY}" } }]\n`;
  const folder = temporaryFolder({ "prtg.yaml": yaml });
  const args = ["check", "--config.file", join(folder, "prtg.yaml"), "--compare", "50"];
  const { code, stdout } = await runCommand(args, { env: { KEY: CREDENTIALS.apiKey } });
  expect(code).toBe(0);
  expect(stdout).toMatch(/^hq +agreement +warning +0 of 50 objects agree .*50 could not be read: .*\[API_\w+\]/m);
});
