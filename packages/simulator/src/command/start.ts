import { readFile } from "node:fs/promises";
import { hostname } from "node:os";
import { createSecureContext } from "node:tls";
import { fileURLToPath } from "node:url";
import type { Credentials } from "../auth/credentials.ts";
import { systemClock } from "../clock.ts";
import type { SpellingName } from "../records/spelling.ts";
import type { ReleaseName } from "../release/release.ts";
import type { ScenarioRun } from "../scenario/run.ts";
import { parseScenario, type Scenario } from "../scenario/scenario.ts";
import { ScenarioError } from "../scenario/scenario-error.ts";
import type { TlsOptions } from "../server/http-server.ts";
import { type Simulator, startSimulator } from "../simulator.ts";
import type { WorldSize } from "../world/layout/size.ts";
import type { World } from "../world/model.ts";
import { createWorld, type WorldOptions } from "../world/world.ts";
import { addDependencies } from "./dependencies.ts";
import {
  type ServiceAddress,
  type ServiceFlags,
  SHIPPED_SCENARIOS,
  type TlsFlags,
  usesTls,
  type WorldFlags,
} from "./flags.ts";
import { removeOldReadyFile, writeReadyFile } from "./ready-file.ts";

const SHIPPED = new URL("../../scenarios/", import.meta.url);

/** Why a service that flags describe cannot start. */
export class StartError extends Error {
  readonly code: "CA_UNREADABLE" | "LISTEN_FAILED" | "READY_FILE_UNWRITABLE" | "SCENARIO_INVALID" | "WORLD_IMPOSSIBLE";
  readonly remedy: string | undefined;

  constructor(code: StartError["code"], message: string, { cause, remedy }: ErrorOptions & { remedy?: string } = {}) {
    super(message, { cause });
    this.name = "StartError";
    this.code = code;
    this.remedy = remedy;
  }
}

/** Time, and what only some services have. */
export interface ServiceMode
  extends Pick<
      ServiceFlags,
      | "control"
      | "classicPort"
      | "hostileNames"
      | "acknowledgementMessages"
      | "startAt"
      | "frozen"
      | "sessionLifetime"
      | "readyFile"
    >,
    TlsFlags {
  readonly speed?: number;
  /** See `SimulatorOptions`. */
  readonly keepsContents?: boolean;
  readonly reported?: ReportedServer | undefined;
}

/** A real server as a report describes it. Goes before flags, but for sizes. */
export interface ReportedServer {
  readonly size: Partial<WorldSize>;
  readonly spelling: SpellingName | undefined;
  readonly release: ReleaseName | undefined;
  /** What `/version` says. */
  readonly version: string | undefined;
  readonly defaultLimit: number;
  /** What the server lacks or refuses. */
  readonly faults: readonly string[];
}

/** In the present unless `mode` says otherwise. @throws StartError, and FaultSyntaxError for a fault that no operation can match */
export async function startService(
  flags: WorldFlags,
  address: ServiceAddress,
  credentials: Credentials,
  mode: ServiceMode = {},
): Promise<Simulator> {
  const scenario = flags.scenario === undefined ? undefined : await loadScenario(flags.scenario);
  const {
    speed,
    frozen = false,
    sessionLifetime: sessionLifetimeMs,
    readyFile,
    control = false,
    hostileNames = false,
    acknowledgementMessages,
    classicPort,
    keepsContents,
    reported,
  } = mode;
  const { spelling = flags.spelling, release = flags.release, version, defaultLimit, faults = [] } = reported ?? {};
  // With the file of an earlier run, a test would not wait.
  if (readyFile !== undefined) {
    await removeOldReadyFile(readyFile).catch((cause: unknown) => fail(readyFileUnwritable(readyFile, cause)));
  }
  const startedAt = mode.startAt ?? systemClock.now();
  const startAt = frozen || (speed ?? 1) !== 1 ? startedAt : mode.startAt;
  const makeWorld = (): World => {
    const world = createSizedWorld({
      seed: flags.seed,
      size: { ...reported?.size, ...flags },
      startedAt,
      plainNames: !hostileNames,
      showsAcknowledgements: acknowledgementMessages === true,
    });
    // A report says nothing about the dependencies of its server.
    if (reported === undefined) addDependencies(world, startedAt);
    return world;
  };
  const world = makeWorld();
  const time = { clock: systemClock, startAt, speed, frozen, sessionLifetimeMs };
  const options = {
    world,
    createWorld: makeWorld,
    ...time,
    control,
    keepsContents,
    scenario,
    credentials,
    classicPort,
  };
  const server = { spelling, release, version, defaultLimit, faults: [...faults, ...flags.fault] };
  const tls = await tlsOptions(mode, address);
  try {
    const simulator = await startSimulator({ ...options, ...address, ...server, tls });
    if (readyFile !== undefined) await announce(readyFile, simulator, address);
    return simulator;
  } catch (error) {
    if (error instanceof ScenarioError) throw scenarioInvalid(error);
    if (error instanceof StartError || !(error instanceof Error && "syscall" in error)) throw error;
    const port = "port" in error ? error.port : address.port;
    throw new StartError("LISTEN_FAILED", `cannot listen on ${address.host}:${port}`, {
      cause: error,
      remedy: "Choose another --listen-address or --classic-port, or stop the program that uses it.",
    });
  }
}

/** @throws StartError, and then the service has ended */
async function announce(file: string, simulator: Simulator, { host }: ServiceAddress): Promise<void> {
  try {
    await writeReadyFile(file, simulator, host);
  } catch (cause) {
    await simulator.close();
    throw readyFileUnwritable(file, cause);
  }
}

function readyFileUnwritable(file: string | undefined, cause: unknown): StartError {
  return new StartError("READY_FILE_UNWRITABLE", `cannot write the file ${file}`, {
    cause,
    remedy: "Give --ready-file a new path in a folder that exists and can be written.",
  });
}

function fail(error: Error): never {
  throw error;
}

/** `undefined` without TLS. @throws StartError */
async function tlsOptions(flags: TlsFlags, { host }: ServiceAddress): Promise<TlsOptions | undefined> {
  if (!usesTls(flags)) return undefined;
  const { tlsCert, tlsKey } = flags;
  if (tlsCert !== undefined && tlsKey !== undefined) return readCertificate(tlsCert, tlsKey);
  const { selfSignedCertificate } = await import("../server/certificate.ts");
  const names = [hostname(), "127.0.0.1", "::1", host].filter((name) => !["", "0.0.0.0", "::"].includes(name));
  return selfSignedCertificate(["localhost", ...names], systemClock.now());
}

const CERTIFICATE_REMEDY = "Give a certificate and its own private key as PEM files, or --tls alone.";

async function readCertificate(certFile: string, keyFile: string): Promise<TlsOptions> {
  try {
    const [cert, key] = await Promise.all([readFile(certFile, "utf8"), readFile(keyFile, "utf8")]);
    createSecureContext({ cert, key });
    return { cert, key };
  } catch (cause) {
    const message = `cannot use the certificate ${certFile} with the key ${keyFile}`;
    throw new StartError("CA_UNREADABLE", message, { cause, remedy: CERTIFICATE_REMEDY });
  }
}

function createSizedWorld(options: WorldOptions): World {
  try {
    return createWorld(options);
  } catch (error) {
    if (error instanceof RangeError) throw new StartError("WORLD_IMPOSSIBLE", error.message);
    throw error;
  }
}

/** A shipped scenario by its name, any other by its path. @throws StartError */
export async function loadScenario(nameOrPath: string): Promise<Scenario> {
  const isShipped = SHIPPED_SCENARIOS.includes(nameOrPath);
  const file = isShipped ? fileURLToPath(new URL(`${nameOrPath}.yaml`, SHIPPED)) : nameOrPath;
  try {
    return parseScenario(await readFile(file, "utf8"), nameOrPath);
  } catch (error) {
    if (error instanceof ScenarioError) throw scenarioInvalid(error);
    const { message } = error instanceof Error ? error : new Error(String(error));
    throw new StartError("SCENARIO_INVALID", `cannot read the scenario ${nameOrPath}: ${message}`, {
      cause: error,
      remedy: `Give the path of a YAML file, or a built-in scenario: ${SHIPPED_SCENARIOS.join(", ")}.`,
    });
  }
}

function scenarioInvalid(error: ScenarioError): StartError {
  const { length } = error.problems;
  const count = length === 1 ? "the scenario cannot run" : `${length} problems in the scenario`;
  return new StartError("SCENARIO_INVALID", `${count}\n${error.message}`);
}

/** Lines about a started service for its user. */
export function introduce(
  simulator: Simulator,
  { apiKey, startAt, speed, frozen, control }: ServiceFlags,
): readonly string[] {
  const { world, url, scenarios, classicUrl, fingerprint } = simulator;
  const ask = `curl ${fingerprint === undefined ? "" : "-k "}-H 'Authorization: Bearer ${apiKey}'`;
  const counts = `${world.list("sensor").length} sensors with ${world.channels().length} channels`;
  const pace = frozen === true ? "standing still" : `${speed} s per second`;
  const time = `simulated time: ${new Date(simulator.now()).toISOString()}, ${pace}`;
  return [
    `simulating ${counts} on ${url}/api/v2`,
    ...(fingerprint === undefined ? [] : [`SHA-256 fingerprint of the certificate: ${fingerprint}`]),
    ...(startAt !== undefined || speed !== 1 || frozen === true ? [time] : []),
    ...scenarios.runs.map(timetable),
    ...(classicUrl === undefined ? [] : [`the classic web server: ${classicUrl}`]),
    ...(control === true ? [`control: ${ask} '${url}/simulator'`] : []),
    `try: ${ask} '${url}/api/v2/experimental/sensors?limit=3'`,
  ];
}

/** The steps of a scenario, one a line. Times are UTC. */
export function timetable({ name, steps }: ScenarioRun): string {
  const lines = steps.map(({ at, text }) => `  ${new Date(at).toISOString().slice(0, 19)}Z  ${text}`);
  return [`playing: ${name}`, ...lines].join("\n");
}
