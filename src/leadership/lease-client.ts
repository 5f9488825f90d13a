import type { Dispatcher } from "undici";
import { z } from "zod";
import { ExporterError } from "../errors/exporter-error.ts";
import type { Clock } from "../lib/clock.ts";
import { ConnectionPool } from "../lib/http/connection-pool.ts";
import type { Lease, LeaseClaim } from "./election.ts";
import type { ServiceAccount } from "./service-account.ts";

export interface LeaseName {
  readonly namespace: string;
  readonly name: string;
}

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

export interface Rehearsal {
  /** The API server's clock minus ours, in whole seconds. `undefined` without a `Date` header. */
  readonly clockOffsetMs: number | undefined;
}

export interface LeaseRehearser {
  /**
   * Has the API server check a write or a creation without storing it (`dryRun=All`), which needs the same rights. Rejects like
   * `LeaseClient.read`.
   */
  rehearse(found: Lease | undefined, signal: AbortSignal): Promise<Rehearsal>;
}

interface LeaseClientOptions extends LeaseName {
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

export function createLeaseClient(options: LeaseClientOptions): LeaseClient & LeaseRehearser {
  return new KubernetesLeaseClient(options);
}

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly date: string | undefined;
}

class KubernetesLeaseClient implements LeaseClient, LeaseRehearser {
  readonly #options: LeaseClientOptions;
  readonly #pool: ConnectionPool;
  readonly #list: string;
  readonly #path: string;

  constructor(options: LeaseClientOptions) {
    const { account, clock, timeoutMs, namespace, name } = options;
    const { origin, readCa } = account;
    this.#options = options;
    this.#list = `/apis/coordination.k8s.io/v1/namespaces/${encodeURIComponent(namespace)}/leases`;
    this.#path = `${this.#list}/${encodeURIComponent(name)}`;
    const read = async () => ({ ca: await readCa(), cert: undefined, key: undefined });
    this.#pool = new ConnectionPool({ origin, connections: 1, timeoutMs, clock, tls: { read } });
  }

  async read(signal: AbortSignal): Promise<Lease | undefined> {
    const { status, text } = await this.#send("GET", this.#path, undefined, signal);
    if (status === 404) return undefined;
    if (status !== 200) throw this.#refusal("read", status, text);
    return this.#parse(text);
  }

  async create(signal: AbortSignal): Promise<WriteResult> {
    const { status, text } = await this.#send("POST", this.#list, this.#blank(), signal);
    if (status === 409) return { kind: "conflict" };
    if (status !== 200 && status !== 201) throw this.#refusal("created", status, text);
    return { kind: "written", lease: this.#parse(text) };
  }

  async write(over: Lease, claim: LeaseClaim, signal: AbortSignal): Promise<WriteResult> {
    const { status, text } = await this.#send("PUT", this.#path, this.#body(over, claim), signal);
    // 404: it was removed, and the next read reports that.
    if (status === 409 || status === 404) return { kind: "conflict" };
    if (status !== 200 && status !== 201) throw this.#refusal("updated", status, text);
    return { kind: "written", lease: this.#parse(text) };
  }

  async rehearse(found: Lease | undefined, signal: AbortSignal): Promise<Rehearsal> {
    // Writes it unchanged, in case a proxy drops the parameter.
    const { status, text, date } = await (found === undefined
      ? this.#send("POST", `${this.#list}?${DRY_RUN}`, this.#blank(), signal)
      : this.#send("PUT", `${this.#path}?${DRY_RUN}`, { ...leaseSchema.parse(found.source), ...KIND }, signal));
    // The server checks rights first: 404 and 409 mean that another client was faster.
    const isAllowed = status === 200 || status === 201 || status === 409 || (status === 404 && found !== undefined);
    if (!isAllowed) throw this.#refusal(found === undefined ? "created" : "updated", status, text);
    const theirs = Date.parse(date ?? "");
    return { clockOffsetMs: Number.isNaN(theirs) ? undefined : theirs - this.#options.clock.now() };
  }

  async close(): Promise<void> {
    await this.#pool.destroy();
  }

  #blank(): unknown {
    const { namespace, name } = this.#options;
    return { ...KIND, metadata: { namespace, name } };
  }

  /** Keeps labels of a chart and fields of later releases. */
  #body({ source }: Lease, { holder, durationMs, isTaken }: LeaseClaim): unknown {
    const known = leaseSchema.parse(source);
    const spec = known.spec ?? {};
    const now = microTime(this.#options.clock.now());
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

  async #send(method: "GET" | "PUT" | "POST", path: string, body: unknown, signal: AbortSignal): Promise<Answer> {
    const token = await this.#options.account.readToken();
    signal.throwIfAborted();
    try {
      const response = await this.#pool.request({
        method,
        path,
        signal,
        // The version guards against a repeated write.
        idempotent: true,
        body: body === undefined ? null : JSON.stringify(body),
        headers: {
          accept: "application/json",
          authorization: `Bearer ${token}`,
          "user-agent": this.#options.userAgent,
          ...(body !== undefined && { "content-type": "application/json" }),
        },
      });
      const { date } = response.headers;
      return { status: response.statusCode, text: await readBody(response), date: [date].flat()[0] };
    } catch (cause) {
      // The API server may have moved or have a new certificate.
      this.#pool.renew();
      if (signal.aborted) throw signal.reason;
      const { origin } = this.#options.account;
      throw new ExporterError("LEASE_UNAVAILABLE", `${origin} does not answer`, { cause });
    }
  }

  #parse(text: string): Lease {
    const parsed = leaseSchema.safeParse(json(text));
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

  #refusal(what: "read" | "updated" | "created", status: number, text: string): ExporterError {
    const { namespace, name } = this.#options;
    const said = refusalSchema.safeParse(json(text)).data?.message ?? excerpt(text);
    const message = `the Lease ${namespace}/${name} cannot be ${what} (HTTP ${status}): ${said}`;
    return new ExporterError(status === 401 || status === 403 ? "LEASE_FORBIDDEN" : "LEASE_UNAVAILABLE", message);
  }
}

/** The API server requires six digits after the seconds. */
function microTime(now: number): string {
  return new Date(now).toISOString().replace("Z", "000Z");
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function excerpt(text: string): string {
  return text.slice(0, MAX_SHOWN);
}

async function readBody({ body }: Dispatcher.ResponseData): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    if (!Buffer.isBuffer(chunk)) continue;
    size += chunk.length;
    if (size > MAX_ANSWER_BYTES) throw new Error(`the answer exceeds ${MAX_ANSWER_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
