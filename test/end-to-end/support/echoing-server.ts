import { type ApiServer, sendJson, startApiServer } from "../../prtg/support/api-server.ts";

/** Encodings in which a server or sensor may echo a secret. */
export const ENCODINGS: Readonly<Record<string, (secret: string) => string>> = {
  plain: (secret) => secret,
  json: (secret) => JSON.stringify(secret).slice(1, -1),
  html: (secret) => secret.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;"),
  url: encodeURIComponent,
  "url in small letters": (secret) => encodeURIComponent(secret).replace(/%../g, (code) => code.toLowerCase()),
  base64: (secret) => Buffer.from(secret).toString("base64"),
  "basic header": (secret) => Buffer.from(`exporter:${secret}`).toString("base64"),
  hexadecimal: (secret) => Buffer.from(secret).toString("hex").toUpperCase(),
};

const SESSION_MS = 8_000;

/** Echoes the client's credentials in every text, a channel per encoding. Renewals change the token. */
export async function startEchoingServer(): Promise<ApiServer & { readonly tokens: readonly string[] }> {
  const tokens: string[] = [];
  const server = await startApiServer((request, response) => {
    const { path, method, query } = request;
    const headers = { date: new Date().toUTCString() };
    if (path === "/session") {
      if (method === "DELETE") return response.writeHead(204).end();
      const token = `t0ken/+${tokens.length}"planted<&~`;
      tokens.push(token);
      return sendJson(response, { token, expires_at: new Date(Date.now() + SESSION_MS).toISOString() }, { headers });
    }
    const sent = request.authorization?.replace(/^Bearer /, "") ?? "";
    const answer = answerTo(path, sent);
    if (answer === undefined) return response.writeHead(404).end();
    const list = Array.isArray(answer) && query.get("offset") !== "0" && query.has("offset") ? [] : answer;
    const total = Array.isArray(answer) ? { "x-total-count": String(answer.length) } : {};
    return sendJson(response, list, { headers: { ...headers, ...total } });
  });
  return Object.assign(server, { tokens });
}

function answerTo(path: string, sent: string): unknown {
  const all = Object.values(ENCODINGS).map((encode) => encode(sent));
  const everything = all.join(" ");
  switch (path) {
    case "/health":
      return {};
    case "/version":
      return { version: everything };
    case "/objects/count":
      return Object.fromEntries([["sensor", 8], ...all.map((text, index) => [`kind ${text}`, index])]);
    case "/lookup-definitions":
      return [{ id: "states", name: everything, values: [{ value: 1, text: `state ${everything}`, type: "single" }] }];
    case "/experimental/probes":
      return [node("1", "probe", everything, undefined)];
    case "/experimental/groups":
      return [node("2", "group", everything, "1")];
    case "/experimental/devices":
      // A host with spaces is not a target.
      return [{ ...node("3", "device", everything, "2"), basic: { host: `host-${sent}`, tags: all } }];
    case "/experimental/sensors":
      return [
        ...all.map((text, index) => node(String(40 + index), "sensor", text, "3")),
        // Only plain secrets fit into an id.
        node(`id-${sent}`, "sensor", "a sensor", "3"),
      ];
    case "/experimental/channels":
      return [
        ...all.map((text, index) => channel(`${40 + index}.0`, text)),
        ...all.map((text, index) => channel(`40.${index + 1}`, text)),
        channel(`40.${sent}`, "a channel"),
      ];
    default:
      return /^\/experimental\/timeseries\//.test(path) ? seriesOf(path.split("/")[3] ?? "") : undefined;
  }
}

function node(id: string, type: string, text: string, parent: string | undefined): Record<string, unknown> {
  return {
    ...{ id, type: type.toUpperCase(), name: `name ${text}`, status: Date.now() % 8_000 < 4_000 ? "UP" : "DOWN" },
    ...{ message: `message ${text}`, kind: `kind-${text}`, kind_name: `kind ${text}` },
    ...(parent !== undefined && { parent: { id: parent, name: `parent ${text}`, type: "REFERENCED_NODE" } }),
    basic: { tags: [`tag-${text}`], priority: "3" },
    intervalgroup: { interval: "60" },
  };
}

function channel(id: string, text: string): unknown {
  const isState = id.startsWith("40.");
  return {
    ...{
      id,
      name: `name ${text}`,
      basic: { displayunit: `unit ${text}`, ...(isState && { unittype: "VALUE_LOOKUP" }) },
    },
    ...(isState && { values: { lookup: "states" } }),
    last_measurement: { display_value: 1, value: 1, timestamp: new Date(Date.now() - 1_000).toISOString() },
  };
}

/** One value per minute for four hours. */
function seriesOf(sensorId: string): unknown {
  const rows = Array.from({ length: 240 }, (_, index) => [
    new Date(Math.floor(Date.now() / 60_000) * 60_000 - (240 - index) * 60_000).toISOString(),
    index,
  ]);
  return [["time", `${sensorId}.0`], ...rows];
}
