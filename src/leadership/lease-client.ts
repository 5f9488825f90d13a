import { isIPv6 } from "node:net";
import { join } from "node:path";
import type { Dispatcher } from "undici";
import { z } from "zod";
import { ExporterError } from "../errors/exporter-error.ts";
import type { Redactor } from "../errors/redactor.ts";
import type { Clock } from "../lib/clock.ts";
import { ConnectionPool } from "../lib/http/connection-pool.ts";
import { wholeBody } from "../lib/http/whole-body.ts";
import { parsedJson } from "../lib/parsed-json.ts";
import type { Lease, LeaseClaim } from "./election.ts";

/** `conflict`: another client was faster. */
export type WriteResult = { readonly kind: "written"; readonly lease: Lease } | { readonly kind: "conflict" };

/** Tries each request once. */
export interface LeaseClient {
  /**
   * `undefined`: there is no Lease. Rejects with ExporterError LEASE_FORBIDDEN, LEASE_UNAVAILABLE, NOT_IN_CLUSTER, or the signal's reason.
   */
  read(signal: AbortSignal): Promise<Lease | undefined>;
  /** Creates it without a holder. Rejects like `read`. */
  create(signal: AbortSignal): Promise<WriteResult>;
  /** Writes only over this version. Rejects like `read`. */
  write(over: Lease, claim: LeaseClaim, signal: AbortSignal): Promise<WriteResult>;
  close(): Promise<void>;
}

export interface LeaseRehearser {
  /**
   * Has the API server check a write or a creation without storing it (`dryRun=All`), which needs the same rights. Rejects like
   * `LeaseClient.read`. Resolves with the API server's clock minus ours in milliseconds, `undefined` without a `Date` header.
   */
  rehearse(found: Lease | undefined, signal: AbortSignal): Promise<number | undefined>;
}

interface LeaseClientOptions {
  readonly namespace: string;
  readonly name: string;
  readonly account: ServiceAccount;
  readonly userAgent: string;
  readonly clock: Clock;
  /** Milliseconds. */
  readonly timeoutMs: number;
}

/** A Lease has a few kilobytes. */
const MAX_ANSWER_BYTES = 1 << 20;
/** Length of a quoted answer in a message. */
const MAX_SHOWN = 200;

/** Same value as client-go. */
const RELEASED_SECONDS = 1;

const DRY_RUN = "dryRun=All";

const KIND = { apiVersion: "coordination.k8s.io/v1", kind: "Lease" } as const;

const leaseSchema = z.looseObject({
  metadata: z.looseObject({ resourceVersion: z.string().min(1) }),
  spec: z
    .looseObject({
      holderIdentity: z.string().nullish(),
      leaseDurationSeconds: z.number().nullish(),
      renewTime: z.string().nullish(),
      acquireTime: z.string().nullish(),
      leaseTransitions: z.number().nullish(),
    })
    .nullish(),
});

const refusalSchema = z.looseObject({ message: z.string() });

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly date: string | undefined;
}

export function createLeaseClient(options: LeaseClientOptions): LeaseClient & LeaseRehearser {
  const { account, userAgent, clock, timeoutMs, namespace, name } = options;
  const { origin, readCa, readToken } = account;
  const list = `/apis/coordination.k8s.io/v1/namespaces/${encodeURIComponent(namespace)}/leases`;
  const path = `${list}/${encodeURIComponent(name)}`;
  const id = `${namespace}/${name}`;
  const blank = { ...KIND, metadata: { namespace, name } };
  const read = async () => ({ ca: await readCa(), cert: undefined, key: undefined });
  const pool = new ConnectionPool({ origin, timeoutMs, clock, tls: { read } });

  const send = async (method: "GET" | "PUT" | "POST", to: string, body: unknown, signal: AbortSignal) => {
    const token = await readToken();
    signal.throwIfAborted();
    try {
      const response = await pool.request({
        method,
        path: to,
        signal,
        // The version guards against a repeated write.
        idempotent: true,
        body: body === undefined ? null : JSON.stringify(body),
        headers: {
          accept: "application/json",
          authorization: `Bearer ${token}`,
          "user-agent": userAgent,
          ...(body !== undefined && { "content-type": "application/json" }),
        },
      });
      const { date } = response.headers;
      return { status: response.statusCode, text: await readBody(response), date: [date].flat()[0] };
    } catch (cause) {
      // The API server may have moved or have a new certificate.
      pool.renew();
      if (signal.aborted) throw signal.reason;
      throw new ExporterError("LEASE_UNAVAILABLE", `${origin} does not answer`, { cause });
    }
  };

  const resultOf = (what: "updated" | "created", answer: Answer): WriteResult => {
    if (!isDone(answer)) throw refusal(id, what, answer);
    return { kind: "written", lease: parseLease(answer.text) };
  };

  return {
    read: async (signal) => {
      const answer = await send("GET", path, undefined, signal);
      if (answer.status === 404) return undefined;
      if (answer.status !== 200) throw refusal(id, "read", answer);
      return parseLease(answer.text);
    },
    create: async (signal) => {
      const answer = await send("POST", list, blank, signal);
      return answer.status === 409 ? { kind: "conflict" } : resultOf("created", answer);
    },
    write: async (over, claim, signal) => {
      const answer = await send("PUT", path, claimed(over, claim, clock.now()), signal);
      // 404: it was removed, and the next read reports that.
      return answer.status === 409 || answer.status === 404 ? { kind: "conflict" } : resultOf("updated", answer);
    },
    rehearse: async (found, signal) => {
      // Writes it unchanged, in case a proxy drops the parameter.
      const answer = await (found === undefined
        ? send("POST", `${list}?${DRY_RUN}`, blank, signal)
        : send("PUT", `${path}?${DRY_RUN}`, { ...leaseSchema.parse(found.source), ...KIND }, signal));
      // The server checks rights first: 404 and 409 mean that another client was faster.
      const isAllowed = isDone(answer) || answer.status === 409 || (answer.status === 404 && found !== undefined);
      if (!isAllowed) throw refusal(id, found === undefined ? "created" : "updated", answer);
      const theirs = Date.parse(answer.date ?? "");
      return Number.isNaN(theirs) ? undefined : theirs - clock.now();
    },
    close: () => pool.destroy(),
  };
}

function refusal(id: string, what: "read" | "updated" | "created", { status, text }: Answer): ExporterError {
  const said = refusalSchema.safeParse(parsedJson(text)).data?.message ?? excerpt(text);
  const message = `the Lease ${id} cannot be ${what} (HTTP ${status}): ${said}`;
  return new ExporterError(status === 401 || status === 403 ? "LEASE_FORBIDDEN" : "LEASE_UNAVAILABLE", message);
}

function isDone({ status }: Answer): boolean {
  return status === 200 || status === 201;
}

function parseLease(text: string): Lease {
  const parsed = leaseSchema.safeParse(parsedJson(text));
  if (!parsed.success) throw new ExporterError("LEASE_UNAVAILABLE", `the answer is not a Lease: ${excerpt(text)}`);
  const { metadata, spec } = parsed.data;
  const holder = spec?.holderIdentity || undefined;
  const seconds = spec?.leaseDurationSeconds ?? undefined;
  return {
    version: metadata.resourceVersion,
    holder,
    isReleased: holder === undefined && typeof spec?.renewTime === "string",
    durationMs: seconds === undefined ? undefined : seconds * 1_000,
    source: parsed.data,
  };
}

/** Keeps labels of a chart and fields of later releases. */
function claimed({ source }: Lease, { holder, durationMs, isTaken }: LeaseClaim, at: number): unknown {
  const known = leaseSchema.parse(source);
  const spec = known.spec ?? {};
  const now = microTime(at);
  return {
    ...known,
    ...KIND,
    spec: {
      ...spec,
      holderIdentity: holder,
      leaseDurationSeconds: holder === "" ? RELEASED_SECONDS : Math.ceil(durationMs / 1_000),
      acquireTime: isTaken ? now : (spec.acquireTime ?? now),
      renewTime: now,
      leaseTransitions: (spec.leaseTransitions ?? 0) + (isTaken ? 1 : 0),
    },
  };
}

/** The API server requires six digits after the seconds. */
function microTime(now: number): string {
  return new Date(now).toISOString().replace("Z", "000Z");
}

function excerpt(text: string): string {
  return text.slice(0, MAX_SHOWN);
}

async function readBody({ body }: Dispatcher.ResponseData): Promise<string> {
  const bytes = await wholeBody(body, MAX_ANSWER_BYTES);
  if (bytes === undefined) throw new Error(`the answer exceeds ${MAX_ANSWER_BYTES} bytes`);
  return bytes.toString();
}

const SERVICE_ACCOUNT_FOLDER = "/var/run/secrets/kubernetes.io/serviceaccount";

/** Access of a pod to the API server. */
export interface ServiceAccount {
  /** `https://10.96.0.1:443` */
  readonly origin: string;
  readonly namespace: string;
  /** PEM */
  readonly readCa: () => Promise<string>;
  /** Kubernetes renews the file long before a token expires. */
  readonly readToken: () => Promise<string>;
}

interface ServiceAccountOptions {
  readonly folder: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly readFile: (path: string) => Promise<string>;
  readonly redactor: Redactor;
}

/** @throws ExporterError NOT_IN_CLUSTER without a pod's variables or files */
export async function openServiceAccount(options: ServiceAccountOptions): Promise<ServiceAccount> {
  const { folder = SERVICE_ACCOUNT_FOLDER, env, redactor } = options;
  const { KUBERNETES_SERVICE_HOST: host = "", KUBERNETES_SERVICE_PORT: port = "" } = env;
  if (host === "" || port === "") {
    const message =
      "KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set: the exporter does not run in a pod";
    throw new ExporterError("NOT_IN_CLUSTER", message);
  }
  const read = async (name: string): Promise<string> => {
    try {
      return (await options.readFile(join(folder, name))).trim();
    } catch (cause) {
      throw new ExporterError("NOT_IN_CLUSTER", `${join(folder, name)} cannot be read`, { cause });
    }
  };
  let known = "";
  // It is still valid, and a late response may quote it.
  let retired = "";
  const readToken = async (): Promise<string> => {
    const token = await read("token");
    if (token === known) return token;
    if (retired !== token) redactor.remove(retired);
    redactor.add(token);
    [retired, known] = [known, token];
    return token;
  };
  const [namespace] = await Promise.all([read("namespace"), read("ca.crt"), readToken()]);
  const origin = `https://${isIPv6(host) ? `[${host}]` : host}:${port}`;
  return { origin, namespace, readCa: () => read("ca.crt"), readToken };
}
