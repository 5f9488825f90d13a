import { Agent, request } from "undici";
import { Child } from "./child.ts";

export const API_KEY = "key-of-the-bench";
export const CHANNELS_PER_SENSOR = 10;

export interface SimulatedServer extends AsyncDisposable {
  readonly url: string;
  readonly control: SimulatorControl;
  stop(): Promise<void>;
}

/** PEM. */
export interface Certificate {
  readonly certFile: string;
  readonly keyFile: string;
  readonly cert: string;
}

/** @param tls HTTP without. */
export async function startSimulator(channels: number, tls?: Certificate): Promise<SimulatedServer> {
  const child = Child.node("src/main.ts", [
    "simulate",
    ...["--sensors", String(sensorsOf(channels)), "--channels", String(channels)],
    ...(tls === undefined ? [] : ["--tls-cert", tls.certFile, "--tls-key", tls.keyFile]),
    ...["--listen-address", "127.0.0.1:0", "--api-key", API_KEY, "--control", "--hostile-names", "--log.level", "warn"],
  ]);
  const [, url = ""] = await child.said(/ on (https?:\S+)\/api\/v2/);
  const stop = () => child.stop();
  return { url, control: new SimulatorControl(url, tls?.cert), stop, [Symbol.asyncDispose]: stop };
}

export interface ManyServers extends AsyncDisposable {
  readonly urls: readonly string[];
}

/** They share the channels. */
export function startSimulators(servers: number, channels: number): Promise<ManyServers> {
  return startMany("bench/peers/many-simulators.ts", [servers, Math.ceil(channels / servers)]);
}

export interface MirrorOptions {
  readonly addresses: number;
  readonly sensors: number;
  readonly channels: number;
  readonly intervalSeconds: number;
}

/** One server at many addresses. Caches responses. */
export function startMirrors({ addresses, sensors, channels, intervalSeconds }: MirrorOptions): Promise<ManyServers> {
  return startMany("bench/peers/mirrors.ts", [addresses, sensors, channels, intervalSeconds]);
}

async function startMany(script: string, args: readonly number[]): Promise<ManyServers> {
  const child = Child.node(script, args.map(String));
  const [, urls = ""] = await child.said(/^ready on (.+) \.$/m);
  return { urls: urls.split(" "), [Symbol.asyncDispose]: () => child.stop() };
}

export function sensorsOf(channels: number): number {
  return Math.ceil(channels / CHANNELS_PER_SENSOR);
}

interface LoggedRequest {
  readonly url: string;
  readonly status?: number;
}

export interface RequestCounts {
  readonly mostInFlight: number;
  readonly counts: readonly { readonly route: string; readonly count: number }[];
  /** The last 1,000, oldest first. */
  readonly recent: readonly LoggedRequest[];
}

export class SimulatorControl {
  readonly #url: string;
  readonly #agent: Agent;

  /** `ca`: PEM. */
  constructor(url: string, ca?: string) {
    this.#url = url;
    this.#agent = new Agent(ca === undefined ? {} : { connect: { ca } });
  }

  async requests(limit = 1_000): Promise<RequestCounts> {
    interface Body {
      readonly most_in_flight: number;
      readonly counts: RequestCounts["counts"];
      readonly recent: RequestCounts["recent"];
    }
    const { most_in_flight, counts, recent } = await this.#send<Body>("GET", `/requests?limit=${limit}`);
    return { mostInFlight: most_in_flight, counts, recent };
  }

  /** `list`: path and query. Costs one request. */
  async total(list: string): Promise<number> {
    const url = `${this.#url}${list}${list.includes("?") ? "&" : "?"}limit=1&offset=0`;
    const headers = { authorization: `Bearer ${API_KEY}` };
    const response = await request(url, { dispatcher: this.#agent, headers });
    await response.body.dump();
    const total = Number(response.headers["x-total-count"]);
    if (response.statusCode !== 200 || Number.isNaN(total)) throw new Error(`${url}: ${response.statusCode}, no total`);
    return total;
  }

  async forgetRequests(): Promise<void> {
    await this.#send("DELETE", "/requests");
  }

  async freeze(): Promise<void> {
    await this.#send("POST", "/time/freeze", {});
  }

  /** Over a minute, so that every sensor measures again. */
  async stepMinute(): Promise<void> {
    await this.#send("POST", "/time/step", { by: "61s" });
  }

  /** Returns its id. */
  async addDevice(parent: string, name: string, sensors: number, kind: string): Promise<string> {
    const { id } = await this.#send<{ readonly id: string }>("POST", `/objects/${parent}/add`, { device: name });
    const add = { sensor: `${name} {n}`, kind, count: sensors };
    await this.#send("POST", "/scenarios", { name, steps: [{ at: "+1s", select: { id }, add }] });
    return id;
  }

  async remove(id: string): Promise<void> {
    await this.#send("DELETE", `/objects/${id}`);
  }

  async #send<Body>(method: "GET" | "POST" | "DELETE", path: string, content?: unknown): Promise<Body> {
    const { statusCode, body } = await request(`${this.#url}/simulator${path}`, {
      dispatcher: this.#agent,
      method,
      headers: { authorization: `Bearer ${API_KEY}` },
      body: content === undefined ? null : JSON.stringify(content),
    });
    if (statusCode >= 300) throw new Error(`${method} ${path}: ${statusCode} ${await body.text()}`);
    return (await body.json()) as Body;
  }
}
