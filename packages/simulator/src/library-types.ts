/// <reference lib="esnext.disposable" />
/*
 * The types of the library. The build copies this file as its declarations, so it imports nothing and runs nothing.
 */

/** Options of `start()`: the flags of the command in camelCase, with the same defaults, except for the port. */
export interface StartOptions {
  /** The same seed gives the same world. */
  readonly seed?: number | undefined;
  /** Sizes that you leave out are in proportion. */
  readonly probes?: number | undefined;
  readonly groups?: number | undefined;
  readonly devices?: number | undefined;
  readonly sensors?: number | undefined;
  readonly channels?: number | undefined;
  /** Format of answers: as live servers (default), or as the specification. */
  readonly spelling?: Spelling | undefined;
  /** PRTG release. The newest by default. */
  readonly release?: Release | undefined;
  /** Such as `error=503@/experimental/*#2`. */
  readonly faults?: readonly string[] | undefined;
  /** Name of a built-in scenario, or path of a YAML file. */
  readonly scenario?: string | undefined;
  /** Start of simulated time, such as `2026-03-12T08:00:00Z`. Now by default. */
  readonly startAt?: string | Date | undefined;
  /** Simulated seconds per real second. */
  readonly speed?: number | undefined;
  /** Simulated time stands still until `time` moves it. */
  readonly frozen?: boolean | undefined;
  /** Simulated time after which a session ends, such as `90s`. 30 minutes by default. */
  readonly sessionLifetime?: string | undefined;
  /** Serve the control endpoint, too. The methods of the library work without it. */
  readonly control?: boolean | undefined;
  readonly hostileNames?: boolean | undefined;
  readonly acknowledgementMessages?: boolean | undefined;
  /** Address to listen on. `127.0.0.1` by default. */
  readonly host?: string | undefined;
  /** 0, the default, takes any free port. */
  readonly port?: number | undefined;
  /** Port of a simulated classic web server. Unset: do not start it. */
  readonly classicPort?: number | undefined;
  /** Serve HTTPS, with a new self-signed certificate unless `tlsCert` gives one. */
  readonly tls?: boolean | undefined;
  /** Path of a PEM file. */
  readonly tlsCert?: string | undefined;
  /** Path of a PEM file. */
  readonly tlsKey?: string | undefined;
  /** Key of the administrator. */
  readonly apiKey?: string | undefined;
  /** Key of a user who may change nothing. */
  readonly readApiKey?: string | undefined;
  readonly username?: string | undefined;
  readonly password?: string | undefined;
}

export type Spelling = "live" | "specification";

export type Release = "24.3" | "25.1" | "25.4" | "26.3";

/** A running server. The methods have the names of the control endpoint. They throw if it would refuse the request. */
export interface SimulatedServer {
  /** Address for clients, without `/api/v2`. */
  readonly url: string;
  readonly port: number;
  /** Address of the classic web server. `undefined` without one. */
  readonly classicUrl: string | undefined;
  /** SHA-256 of the certificate. `undefined` without TLS. */
  readonly fingerprint: string | undefined;
  /** Key of the administrator. */
  readonly apiKey: string;
  /** Key of a user who may change nothing. */
  readonly readApiKey: string;
  readonly faults: FaultControl;
  readonly time: TimeControl;
  readonly requests: RequestControl;
  readonly objects: ObjectControl;
  /** Ends all sessions without notice, as a restart does. */
  endSessions(): void;
  /**
   * Begins again as at the start: world, time, sessions, faults, scenario and request log. Breaks off requests under
   * way. Resolves when the server listens: the fault `restart` may have ended that.
   */
  reset(): Promise<void>;
  /** Any operation of the control endpoint, without HTTP: `control("GET", "/status-changes?from=...")`. Returns its JSON. */
  control(method: "GET" | "POST" | "DELETE", path: string, body?: unknown): unknown;
  /** Stops listening and ends all connections. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface FaultControl {
  /** Active faults. */
  list(): readonly FaultState[];
  /** @param body Body of the fault `answer`: text, or a value that is sent as JSON */
  add(fault: string, body?: unknown): void;
  /** Replaces all faults. Changes nothing if one of them is wrong. */
  set(faults: readonly string[]): void;
  remove(fault: string): void;
  clear(): void;
}

export interface FaultState {
  readonly fault: string;
  /** Number of requests that it still applies to. `null`: no end. */
  readonly left: number | null;
  /** Number of matching requests before it begins. */
  readonly passing: number;
  /** Number of requests that it has applied to. */
  readonly applied: number;
}

export interface TimeControl {
  get(): TimeState;
  /** Stops the time, now or at this moment. */
  freeze(at?: string | Date): TimeState;
  /** Moves the time forward and stops it. @param by such as `10m` */
  step(by: string): TimeState;
  /** Continues the time after a stop. */
  resume(): TimeState;
  /** @param speed Simulated seconds per real second */
  setSpeed(speed: number): TimeState;
}

export interface TimeState {
  /** Simulated time, such as `2026-03-12T08:00:00.000Z`. */
  readonly now: string;
  readonly speed: number;
  readonly frozen: boolean;
}

export interface RequestControl {
  /** The last 1,000 requests, or fewer if their URLs exceed 4 MB. Oldest first. */
  list(filter?: RequestFilter): readonly LoggedRequest[];
  counts(): readonly RequestCount[];
  clear(): void;
}

export interface RequestFilter {
  /** Only the last ones. */
  readonly limit?: number | undefined;
  readonly method?: string | undefined;
  /** A glob below `/api/v2`, such as `/experimental/*`. */
  readonly path?: string | undefined;
  readonly status?: number | undefined;
  /** A fault that applied, as written. */
  readonly fault?: string | undefined;
}

export interface LoggedRequest {
  readonly request_id: string;
  readonly method: string;
  /** Template of the path below `/api/v2`. */
  readonly route: string;
  /** Path and query as sent. */
  readonly url: string;
  /** `undefined` if the connection ended before the answer. */
  readonly status: number | undefined;
  readonly bytes: number;
  /** Faults that applied, as written. */
  readonly faults: readonly string[];
  /** Names in lower case. */
  readonly headers?: Readonly<Record<string, string | string[] | undefined>>;
  readonly body?: string | undefined;
  readonly duration_ms: number;
  /** Real time of the end. */
  readonly at: string;
}

export interface RequestCount {
  readonly method: string;
  readonly route: string;
  readonly status: number | undefined;
  readonly count: number;
}

/** A change returns the object as it is then. */
export interface ObjectControl {
  get(id: string): ObjectState;
  /** Sets the status of a sensor until `resume`. */
  force(id: string, status: SensorStatus): ObjectState;
  pause(id: string, remark?: Remark): ObjectState;
  /** Ends a pause or a forced status. */
  resume(id: string): ObjectState;
  /** Acknowledges a sensor that is down. */
  acknowledge(id: string, remark?: Remark): ObjectState;
  rename(id: string, name: string): ObjectState;
  move(id: string, to: string): ObjectState;
  /** Moves a channel to a value. */
  set(id: string, change: ChannelChange): ObjectState;
  /** Ends all changes by `set`. */
  unset(id: string): ObjectState;
  /** Adds an object below this one, and returns it. */
  add(id: string, object: NewSensor | NewDevice): ObjectState;
  /** Removes an object and everything below it. */
  remove(id: string): void;
}

export interface ObjectState {
  readonly id: string;
  readonly type: string;
  readonly kind: string;
  readonly name: string;
  readonly path: string;
  readonly parent: string | undefined;
  readonly status: string;
  readonly since: string;
  readonly message: string;
}

export type SensorStatus =
  | "up"
  | "warning"
  | "down"
  | "unusual"
  | "partialdown"
  | "unknown"
  | "none"
  | "collecting"
  | "disconnected"
  | "pausedbyuser"
  | "pauseduntil"
  | "pausedbyschedule"
  | "pausedbylicense";

export interface Remark {
  readonly message?: string;
  /** A duration such as `30m`. Without it, no end. */
  readonly for?: string;
}

export interface ChannelChange {
  /** Name or number. */
  readonly channel: string | number;
  /** Display value. */
  readonly to: number;
  /** Duration of the move, such as `10m`. At once without it. */
  readonly over?: string;
  /** Duration until the change ends. Without it, no end. */
  readonly for?: string;
}

export interface NewSensor {
  readonly sensor: string;
  readonly kind?: string;
}

export interface NewDevice {
  readonly device: string;
}

/**
 * Starts a simulated PRTG server in this process. It logs nothing and handles no signals.
 * @throws TypeError that names a wrong option, and an Error with a `code` if the server cannot start
 */
export declare function start(options?: StartOptions): Promise<SimulatedServer>;
