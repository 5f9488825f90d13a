import { X509Certificate } from "node:crypto";
import { type Contract, loadContract, type Operation } from "./api/contract/contract.ts";
import { openDocument } from "./api/contract/document.ts";
import { contractForGenerators } from "./api/contract/generators.ts";
import { publishedContract } from "./api/contract/published.ts";
import { ENDPOINTS } from "./api/endpoints/table.ts";
import { Authentication } from "./auth/authentication.ts";
import type { Credentials } from "./auth/credentials.ts";
import type { PasswordReset } from "./auth/passwords.ts";
import type { Clock } from "./clock.ts";
import { CONTROL_ROOT, Control } from "./control/control.ts";
import { Faults } from "./faults/faults.ts";
import { createInstallation, type Installation } from "./installation/installation.ts";
import { type Random, seededRandom } from "./random.ts";
import { type SpellingName, spellingOf } from "./records/spelling.ts";
import type { ReleaseName } from "./release/release.ts";
import { ScenarioRunner } from "./scenario/runner.ts";
import type { Scenario } from "./scenario/scenario.ts";
import { serveClassic } from "./server/classic-port.ts";
import { close, createHttpServer, listen, reachableHost, type TlsOptions } from "./server/http-server.ts";
import { type LoggedRequest, RequestLog } from "./server/request-log.ts";
import { buildRoutes } from "./server/routes.ts";
import { Service } from "./server/service.ts";
import { SimulatedTime } from "./simulated-time.ts";
import type { World } from "./world/model.ts";

export interface SimulatorOptions {
  readonly world: World;
  /** Makes the same world again, for a reset. Without it, the control endpoint cannot reset. */
  readonly createWorld?: (() => World) | undefined;
  /** Real time, which simulated time follows unless `startAt` or `speed` says otherwise. Delays and limits are real. */
  readonly clock: Clock;
  /** When simulated time begins, milliseconds since the epoch. */
  readonly startAt?: number | undefined;
  /** Simulated seconds per real second. */
  readonly speed?: number | undefined;
  /** Simulated time stands still from the beginning. */
  readonly frozen?: boolean | undefined;
  /** A scenario that begins with the service. */
  readonly scenario?: Scenario | undefined;
  /** Whether the world can be changed from outside, below `/simulator`; it cannot by default. */
  readonly control?: boolean;
  /** Address to listen on; `127.0.0.1` by default. */
  readonly host?: string;
  /** 0, the default, takes any free port. */
  readonly port?: number;
  /** Port of the classic web server, which has no API v2. 0: any free port. Unset: do not start it. */
  readonly classicPort?: number | undefined;
  /** Certificate and key, PEM; plain HTTP without. */
  readonly tls?: TlsOptions | undefined;
  readonly spelling: SpellingName;
  /** Which release it plays; the newest by default. */
  readonly release?: ReleaseName | undefined;
  /** What `/version` says; that of the release by default. */
  readonly version?: string | undefined;
  readonly credentials: Credentials;
  /** How long a session lasts since it was opened or renewed, in simulated time; 30 minutes by default. */
  readonly sessionLifetimeMs?: number | undefined;
  /** What an omitted `limit` means. The specification: up to 3000; live servers were seen to send 100. */
  readonly defaultLimit?: number | undefined;
  /** How long a new object answers 202 before it is fully available, in simulated time; 2 seconds by default. */
  readonly readyAfterMs?: number;
  /** See `parseFault`. */
  readonly faults?: readonly string[];
  /** For request ids, tokens and faults; by default seeded by the world. */
  readonly random?: Random;
  /** Whether the request log has headers and bodies. By default, it has them with the control endpoint. */
  readonly keepsContents?: boolean | undefined;
  /** Called with each request once it is answered or broken off. */
  readonly log?: (request: LoggedRequest) => void;
}

/** A running service. */
export interface Simulator {
  /** Without the root `/api/v2`: what a client is configured with. */
  readonly url: string;
  readonly port: number;
  /** Address of the classic web server. `undefined` without one. */
  readonly classicUrl: string | undefined;
  /** SHA-256 of the certificate, as PRTG, browsers and clients show it; undefined without TLS. */
  readonly fingerprint: string | undefined;
  readonly world: World;
  /** Scenarios that are running. */
  readonly scenarios: ScenarioRunner;
  readonly requests: RequestLog;
  /** Can be changed at any time. */
  readonly faults: Faults;
  /** Simulated time, milliseconds since the epoch: that of the clock unless frozen. */
  now(): number;
  /** Stops simulated time, to compare two lists. `undefined`: lets it run again. */
  freezeAt(time: number | undefined): void;
  /** Ends all sessions without telling their owners, as a restart of the service does. */
  dropSessions(): void;
  /**
   * Begins again as at the start, and breaks off requests under way. Properties of this object are new ones then.
   * Resolves when it listens, which a fault may have ended. @throws RangeError without `createWorld`
   */
  reset(): Promise<void>;
  /**
   * An operation of the control endpoint, without HTTP. Works without `control`, too. Returns the JSON of the answer.
   * @param path below `/simulator`, with its query
   * @throws ControlError, RangeError, ScenarioError and FaultSyntaxError
   */
  operate(method: string, path: string, text: string): unknown;
  /** Users, groups and keys, auto-discovery jobs and the license: what there is beside the tree. */
  readonly installation: Installation;
  /** The tokens of password resets that users would find in their mail, oldest first. */
  passwordResets(): readonly PasswordReset[];
  /** Stops listening and breaks off all connections. */
  close(): Promise<void>;
}

const DEFAULT_SESSION_LIFETIME_MS = 30 * 60_000;
/** "Omitting it returns up to 3000"; live servers keep to the declared default. */
const DEFAULT_LIMITS: Readonly<Record<SpellingName, number>> = { specification: 3000, live: 100 };
const DEFAULT_READY_AFTER_MS = 2000;
const LISTEN_AGAIN_MS = 200;

/** Parts that a reset replaces. */
interface Run {
  readonly world: World;
  readonly time: SimulatedTime;
  readonly random: Random;
  readonly faults: Faults;
  readonly scenarios: ScenarioRunner;
  readonly installation: Installation;
  readonly auth: Authentication;
  readonly requests: RequestLog;
  readonly service: Service;
  /** See `ControlParts`. */
  readonly settings: Map<string, (() => void)[]>;
  /** Simulated time after all due steps of scenarios were made. */
  readonly now: () => number;
}

interface RunContext {
  readonly contract: Contract;
  readonly baseUrl: () => string;
  readonly restart: (downMs: number) => void;
}

/** @throws FaultSyntaxError, and ScenarioError for what the world cannot play */
function beginRun(options: SimulatorOptions, world: World, { contract, baseUrl, restart }: RunContext): Run {
  const { clock, credentials } = options;
  const random = options.random ?? seededRandom(world.seed);
  const time = new SimulatedTime(options);
  const faults = new Faults(random, options.faults, contract.operations);
  const scenarios = new ScenarioRunner(world, faults);
  const now = (): number => {
    const at = time.now();
    scenarios.advance(at);
    return at;
  };
  if (options.scenario !== undefined) scenarios.play(options.scenario, now());
  const sessionLifetimeMs = options.sessionLifetimeMs ?? DEFAULT_SESSION_LIFETIME_MS;
  const readyAfterMs = options.readyAfterMs ?? DEFAULT_READY_AFTER_MS;
  const installation = createInstallation({ world, credentials, now, random, readyAfterMs });
  const { directory } = installation;
  const { forbiddenEndpoints } = credentials;
  const rejectsMalformed = options.spelling === "live";
  const auth = new Authentication({ directory, forbiddenEndpoints, now, sessionLifetimeMs, random, rejectsMalformed });
  const keepsContents = options.keepsContents ?? options.control === true;
  const requests = new RequestLog({ clock, log: options.log, keepsContents });
  const spelling = spellingOf(options.spelling, options.release, options.version);
  const offers = ({ availability }: Operation): boolean => spelling.release.has(availability);
  const service = new Service({
    world,
    clock,
    spelling,
    defaultLimit: options.defaultLimit ?? DEFAULT_LIMITS[options.spelling],
    routes: buildRoutes(contract, ENDPOINTS, offers),
    auth,
    installation,
    faults,
    requests,
    random,
    now,
    baseUrl,
    restart,
  });
  const settings = new Map();
  return { world, time, random, faults, scenarios, installation, auth, requests, service, settings, now };
}

/** Rejects when it cannot listen; @throws FaultSyntaxError, and ScenarioError for what the world cannot play */
export async function startSimulator(options: SimulatorOptions): Promise<Simulator> {
  const { clock, host = "127.0.0.1", credentials, tls } = options;
  let url = "";
  const loadedContract = await loadContract();
  const begin = (world: World): Run => {
    // A request of an earlier run may still be delayed by a fault.
    const restartOwn = (downMs: number): void => {
      if (run === own) restart(downMs);
    };
    const own = beginRun(options, world, { contract: loadedContract, baseUrl: () => url, restart: restartOwn });
    return own;
  };
  let run = begin(options.world);
  const closing = new AbortController();
  let restarting = new AbortController();
  let listening: Promise<void> = Promise.resolve();
  const reset = (): Promise<void> => {
    if (options.createWorld === undefined) throw new RangeError("this simulator cannot make its world again");
    const before = run;
    run = begin(options.createWorld());
    run.time.start();
    before.service.end();
    restarting.abort();
    restarting = new AbortController();
    return listening;
  };
  const restart = (downMs: number): void => {
    if (!server.listening) return;
    dropSessions();
    const { signal } = restarting;
    listening = close(server)
      .then(() => clock.sleep(downMs, AbortSignal.any([closing.signal, signal])))
      // Reset or closed in the meantime.
      .catch(() => undefined)
      .then(() => listenAgain());
  };
  /** Another program may have the port for a while. */
  const listenAgain = async (): Promise<void> => {
    while (!closing.signal.aborted) {
      try {
        await listen(server, host, port);
        if (closing.signal.aborted) await close(server);
        return;
      } catch {
        await clock.sleep(LISTEN_AGAIN_MS, closing.signal).catch(() => undefined);
      }
    }
  };
  const dropSessions = (): void => run.auth.dropSessions();
  const passwordResets = (): readonly PasswordReset[] => run.installation.passwordResets.pending();
  const document = await openDocument();
  const { release } = spellingOf(options.spelling, options.release, options.version);
  const contract = (): object => publishedContract(document, release);
  const generatorContract = (): object => contractForGenerators(document, release);
  const parts = { dropSessions, passwordResets, contract, generatorContract, reset };
  const control = new Control(() => ({ ...run, ...parts }), credentials.apiKey);
  const isControlled = options.control === true;
  const random: Random = () => run.random();
  const server = createHttpServer({ tls, random }, (request, response) => {
    const owner = isControlled && control.owns(request.url ?? "") ? control : run.service;
    void owner.serve(request, response);
  });
  const port = await listen(server, host, options.port ?? 0);
  const urlAt = (at: number): string => `${tls === undefined ? "http" : "https"}://${reachableHost(host)}:${at}`;
  const classic = createHttpServer({ tls, random }, serveClassic);
  const closeAll = async (): Promise<void> => void (await Promise.all([close(server), close(classic)]));
  const classicPort =
    options.classicPort === undefined
      ? undefined
      : await listen(classic, host, options.classicPort).catch((error: unknown) => closeAll().then(() => fail(error)));
  run.time.start();
  url = urlAt(port);
  return {
    url,
    port,
    classicUrl: classicPort === undefined ? undefined : urlAt(classicPort),
    fingerprint: tls && new X509Certificate(tls.cert).fingerprint256,
    get world() {
      return run.world;
    },
    get scenarios() {
      return run.scenarios;
    },
    get requests() {
      return run.requests;
    },
    get faults() {
      return run.faults;
    },
    now: () => run.now(),
    freezeAt(at) {
      if (at === undefined) run.time.release();
      else run.time.freeze(at);
    },
    dropSessions,
    reset,
    operate: (method, path, text) => control.operate(method, `${CONTROL_ROOT}${path}`, text).json,
    get installation() {
      return run.installation;
    },
    passwordResets,
    close: () => {
      closing.abort();
      return closeAll();
    },
  };
}

function fail(error: unknown): never {
  throw error;
}
