import { describe, expect, test } from "vitest";
import { CREDENTIALS, simulateServer } from "../../../../test/support/simulated-server.ts";
import type { Simulator } from "../../src/simulator.ts";

/*
 * Requests of public clients and how they read answers. All need the live spelling. Tests name differences from the
 * specification.
 */

type Spelling = "live" | "specification";

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly json: unknown;
}

async function ask(
  { url }: Simulator,
  request: string,
  { token = CREDENTIALS.apiKey, body }: { token?: string; body?: object } = {},
): Promise<Answer> {
  const [method = "", path = ""] = request.split(/ (.*)/s);
  const [place = "", query = ""] = path.split(/\?(.*)/s);
  const parameters = new URLSearchParams();
  for (const parameter of query === "" ? [] : query.split("&")) {
    const [name = "", value = ""] = parameter.split(/=(.*)/s);
    parameters.append(name, value);
  }
  const response = await fetch(`${url}/api/v2${place}${query === "" ? "" : `?${parameters}`}`, {
    method,
    headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json", Accept: "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, json: text === "" ? undefined : JSON.parse(text) };
}

type Fields = Readonly<Record<string, unknown>>;

function fields(value: unknown): Fields {
  if (typeof value !== "object" || value === null) throw new TypeError(`no object: ${JSON.stringify(value)}`);
  return { ...value };
}

function items(answer: Answer): readonly Fields[] {
  expect(answer.status).toBe(200);
  if (!Array.isArray(answer.json)) throw new TypeError("no list");
  return answer.json.map(fields);
}

describe.each<Spelling>(["live", "specification"])("public clients, with the spelling %s", (spelling) => {
  const start = () => simulateServer({ spelling });

  test.each<[request: string, live: number, specification: number]>([
    ["GET /experimental/sensors?filter=status = down", 200, 200],
    ["GET /experimental/sensors?filter=not(status = up)", 200, 200],
    ["GET /experimental/sensors?filter=status in [DOWN,WARNING,UNKNOWN,UNUSUAL,COLLECTING,NONE]&limit=500", 200, 400],
    [
      "GET /experimental/sensors?filter=status = down or status = acknowledged or status = warning or status = partialdown&sort_by=-priority",
      200,
      200,
    ],
    ["GET /experimental/sensors?filter=status = pausedbyuseruntil", 200, 400],
    ['GET /experimental/sensors?filter=parentid = "2001"', 200, 200],
    ["GET /experimental/sensors?filter=parentid = 2001", 400, 400],
    ['GET /experimental/channels?filter=parentid in ["2002","2003"]', 200, 400],
    ['GET /experimental/channels?filter=primary = true and parentid in ["2002"]', 200, 400],
    ['GET /experimental/channels?filter=parentid = "2002"&offset=0&limit=100', 200, 200],
    ['GET /experimental/sensors?filter=basic.tags contains "ping"', 200, 200],
    ['GET /experimental/objects?filter=type = sensor and (basic.tags contains "ping" or status = down)', 200, 200],
    ['GET /experimental/sensors?filter=name in ["Ping v2","HTTP v2"]', 200, 200],
    ['GET /experimental/devices?filter=kind != "Probe Device"', 200, 200],
    ["GET /experimental/objects?filter=type=device&include=all_sections,inheritance&limit=500&offset=0", 200, 200],
    ["GET /experimental/sensors?include=*&limit=5", 200, 200],
    ["GET /experimental/devices?include=sensor_status_summary&limit=3000", 200, 200],
    // Live servers ignore unknown parameters and reject unreadable ones.
    ["GET /experimental/devices?sort=-name&includes=x&limit=500", 200, 200],
    ["GET /experimental/channels?filter_objid=2002", 200, 200],
    ["GET /experimental/devices?sensor_status_summary=true&limit=500", 200, 200],
    ["GET /experimental/sensors?filter=status eq Down", 400, 400],
    ["GET /experimental/timeseries/2002?start=2026-03-01T00:00:00Z&end=2026-03-02T00:00:00Z", 400, 400],
    ["GET /experimental/timeseries/2002/historic", 400, 400],
    ["GET /experimental/license", 200, 200],
    ["GET /experimental/users?limit=500", 200, 200],
    ["GET /experimental/devices/templates", 200, 200],
    ["GET /status", 404, 404],
  ])("%s", async (request, live, specification) => {
    const { status, json } = await ask(await start(), request);
    expect(status).toBe(spelling === "live" ? live : specification);
    // One also shows the request id.
    if (status >= 400)
      expect(fields(json)).toMatchObject({
        code: expect.any(String),
        message: expect.any(String),
        request_id: expect.any(String),
      });
    else expect(json).toBeDefined();
  });

  test("change the tree with the bodies and parameters that they use", async () => {
    const simulator = await start();
    const [probe] = items(await ask(simulator, "GET /experimental/probes?limit=1"));
    const [group] = items(await ask(simulator, "GET /experimental/groups?limit=1"));
    const [device] = items(await ask(simulator, 'GET /experimental/devices?filter=kind != "Probe Device"&limit=1'));
    const [sensor] = items(await ask(simulator, "GET /experimental/sensors?limit=1"));
    const write = async (request: string, body?: object) => (await ask(simulator, request, body && { body })).status;
    expect(await write(`POST /experimental/probes/${probe?.id}/group`, { basic: { name: "made" } })).toBeLessThan(300);
    const host = { basic: { name: "made", host: "made.example.com" } };
    expect(await write(`POST /experimental/groups/${group?.id}/device`, host)).toBeLessThan(300);
    const kind = `POST /experimental/devices/${device?.id}/sensor`;
    expect(await write(`${kind}?kindid=ping`, { basic: { name: "made" } })).toBeLessThan(300);
    expect(await write(kind, { basic: { name: "made" } })).toBe(400);
    const singular = await write(`PATCH /experimental/sensor/${sensor?.id}`, { basic: { name: "renamed" } });
    expect(singular).toBe(spelling === "live" ? 204 : 404);
    // One sends an object, because it got "EOF" without. One sends none.
    const scan = `POST /experimental/devices/${device?.id}/metascan?kind=snmplinuxdiskfree`;
    expect(await write(scan, {})).toBeLessThan(300);
    if (spelling === "live") expect(await write(scan)).toBe(400);
    else expect(await write(scan)).toBeLessThan(300);
    expect(await write(`POST /devices/${device?.id}/pause`, { message: "work" })).toBeLessThan(300);
    expect(await write(`POST /experimental/devices/${device?.id}/move`, { parent: String(group?.id) })).toBeLessThan(
      300,
    );
    expect(await write(`DELETE /experimental/sensors/${sensor?.id}`)).toBeLessThan(300);
  });
});
