import { createServer, type RequestListener, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { Clock } from "../../clock.ts";
import type { World } from "../world/model.ts";
import { Authentication, type Credentials } from "./auth.ts";
import { ENDPOINTS } from "./endpoints/table.ts";
import { Service } from "./exchange.ts";
import { Faults } from "./faults.ts";
import { answerMalformedRequests } from "./malformed-requests.ts";
import { type Random, seededRandom } from "./randomness.ts";
import { type SpellingName, spellingOf } from "./records/spelling.ts";
import { type LoggedRequest, RequestLog } from "./request-log.ts";
import { buildRoutes } from "./routes.ts";

export interface SimulatorOptions {
  readonly world: World;
  /** `now()` is the simulated time. */
  readonly clock: Clock;
  /** Address to listen on; `127.0.0.1` by default. */
  readonly host?: string;
  /** 0, the default, takes any free port. */
  readonly port?: number;
  /** Certificate and key, PEM; plain HTTP without. */
  readonly tls?: { readonly key: string; readonly cert: string };
  readonly spelling: SpellingName;
  readonly credentials: Credentials;
  /** How long a session lasts since it was opened or renewed, by the monotonic clock; 30 minutes by default. */
  readonly sessionLifetimeMs?: number;
  /** What an omitted `limit` means. The specification: up to 3000, the default; live servers were seen to send 100. */
  readonly defaultLimit?: number;
  /** See `parseFault`. */
  readonly faults?: readonly string[];
  /** For request ids, tokens and faults; by default seeded by the world. */
  readonly random?: Random;
  /** Called with each request once it is answered or broken off. */
  readonly log?: (request: LoggedRequest) => void;
}

/** A running service. */
export interface Simulator {
  /** Without the root `/api/v2`: what a client is configured with. */
  readonly url: string;
  readonly port: number;
  readonly world: World;
  readonly requests: RequestLog;
  /** Can be changed at any time. */
  readonly faults: Faults;
  /** Simulated time, milliseconds since the epoch: that of the clock unless frozen. */
  now(): number;
  /** Stops simulated time at a moment, so that two lists can be compared; undefined lets it run again. */
  freezeAt(time: number | undefined): void;
  /** Ends all sessions without telling their owners, as a restart of the service does. */
  dropSessions(): void;
  /** Stops listening and breaks off all connections. */
  close(): Promise<void>;
}

const DEFAULT_SESSION_LIFETIME_MS = 30 * 60_000;
const DEFAULT_LIMIT = 3000;

/** Starts the service. Rejects when the address cannot be listened on. Throws a FaultSyntaxError for a wrong fault. */
export async function startSimulator(options: SimulatorOptions): Promise<Simulator> {
  const { world, clock, host = "127.0.0.1", credentials, tls } = options;
  const random = options.random ?? seededRandom(world.seed);
  let frozenAt: number | undefined;
  let url = "";
  const now = (): number => frozenAt ?? clock.now();
  const sessionLifetimeMs = options.sessionLifetimeMs ?? DEFAULT_SESSION_LIFETIME_MS;
  const auth = new Authentication({ world, credentials, clock, sessionLifetimeMs, random });
  const faults = new Faults(random, options.faults);
  const requests = new RequestLog(clock, options.log);
  const service = new Service({
    world,
    clock,
    spelling: spellingOf(options.spelling),
    defaultLimit: options.defaultLimit ?? DEFAULT_LIMIT,
    routes: buildRoutes(ENDPOINTS),
    auth,
    faults,
    requests,
    random,
    now,
    baseUrl: () => url,
  });
  const server = createHttpServer(tls, (request, response) => void service.serve(request, response));
  answerMalformedRequests(server, random);
  const port = await listen(server, host, options.port ?? 0);
  url = `${tls === undefined ? "http" : "https"}://${reachable(host)}:${port}`;
  return {
    url,
    port,
    world,
    requests,
    faults,
    now,
    freezeAt(time) {
      frozenAt = time;
    },
    dropSessions: () => auth.dropSessions(),
    close: () => close(server),
  };
}

/** Long filters make long URLs. Idle connections stay longer than clients keep theirs, who else may use a closing one. */
const SERVER_OPTIONS = {
  maxHeaderSize: 64 * 1024,
  keepAliveTimeout: 65_000,
  // "Reading the request body took too long": 25 seconds, as for everything.
  requestTimeout: 25_000,
  headersTimeout: 25_000,
  connectionsCheckingInterval: 1000,
};

function createHttpServer(tls: SimulatorOptions["tls"], listener: RequestListener): Server {
  return tls === undefined
    ? createServer(SERVER_OPTIONS, listener)
    : createTlsServer({ ...SERVER_OPTIONS, ...tls }, listener);
}

function listen(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

/** An address to listen on that can also be connected to. */
function reachable(host: string): string {
  if (host === "0.0.0.0" || host === "::") return "127.0.0.1";
  return host.includes(":") ? `[${host}]` : host;
}
