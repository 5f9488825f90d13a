import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Clock } from "../../../src/lib/clock.ts";
import type { Matcher } from "../../../src/sync/matchers.ts";
import { listenOnLoopback } from "../../support/loopback.ts";

export interface FakeSilence {
  readonly id: string;
  readonly matchers: readonly Matcher[];
  /** Milliseconds since the epoch. */
  readonly startsAt: number;
  readonly endsAt: number;
  readonly updatedAt: number;
  readonly createdBy: string;
  readonly comment: string;
}

export interface FakeRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

export interface FakeAnswer {
  readonly status: number;
  readonly body: unknown;
}

type Labels = Readonly<Record<string, string>>;

/** Alertmanager in memory. The real one passes the same tests (test/real/alertmanager-client.test.ts). */
export class FakeAlertmanager {
  /** `down`: cuts connections. `hangs`: does not answer. `lost`: applies the request and cuts the connection. */
  fault: "none" | "down" | "hangs" | "lost" = "none";
  /** Time of the given clock between the request and its answer. */
  delayMs = 0;
  readonly requests: FakeRequest[] = [];
  readonly alerts: Labels[] = [];
  readonly #silences = new Map<string, FakeSilence>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Oldest first, with expired ones. */
  get silences(): readonly FakeSilence[] {
    return [...this.#silences.values()];
  }

  stateOf({ startsAt, endsAt }: Pick<FakeSilence, "startsAt" | "endsAt">): "active" | "pending" | "expired" {
    const now = this.#clock.now();
    if (now < startsAt) return "pending";
    return now < endsAt ? "active" : "expired";
  }

  /** Creates or updates, as Alertmanager's `Silences.Set`. */
  put(given: Omit<FakeSilence, "id" | "updatedAt"> & { readonly id?: string }): FakeAnswer {
    const now = this.#clock.now();
    if (given.startsAt >= given.endsAt) return refused("start time must be before end time");
    if (given.endsAt < now) return refused("end time can't be in the past");
    if (given.matchers.every((matcher) => matcher.isEqual && accepts(matcher, ""))) {
      return refused("at least one matcher must not match the empty string");
    }
    const before = given.id === undefined ? undefined : this.#silences.get(given.id);
    if (given.id !== undefined && before === undefined) return { status: 404, body: "silence not found" };
    if (before !== undefined && this.#canUpdate(before, given)) {
      this.#silences.set(before.id, { ...given, id: before.id, updatedAt: now });
      return { status: 200, body: { silenceID: before.id } };
    }
    if (before !== undefined) this.expire(before.id);
    const id = randomUUID();
    this.#silences.set(id, { ...given, id, startsAt: Math.max(given.startsAt, now), updatedAt: now });
    return { status: 200, body: { silenceID: id } };
  }

  expire(id: string): FakeAnswer {
    const now = this.#clock.now();
    const silence = this.#silences.get(id);
    if (silence === undefined) return { status: 404, body: "silence not found" };
    if (this.stateOf(silence) !== "expired") {
      const startsAt = Math.min(silence.startsAt, now);
      this.#silences.set(id, { ...silence, startsAt, endsAt: now, updatedAt: now });
    }
    return { status: 200, body: "" };
  }

  /** Ids of active silences that match. */
  silencedBy(labels: Labels): string[] {
    const matching = this.silences.filter(({ matchers }) =>
      matchers.every((matcher) => accepts(matcher, labels[matcher.name] ?? "")),
    );
    return matching.filter((silence) => this.stateOf(silence) === "active").map(({ id }) => id);
  }

  /** @param path below `/api/v2`, without a query */
  answer(method: string, path: string, body: string): FakeAnswer {
    const request = `${method} ${path}`;
    if (request === "GET /silences") return { status: 200, body: this.silences.map((silence) => this.#wire(silence)) };
    if (request === "POST /silences") {
      const given = JSON.parse(body);
      return this.put({ ...given, startsAt: Date.parse(given.startsAt), endsAt: Date.parse(given.endsAt) });
    }
    if (request === "GET /alerts") {
      const alerts = this.alerts.map((labels) => ({ labels, status: { silencedBy: this.silencedBy(labels) } }));
      return { status: 200, body: alerts };
    }
    if (request === "POST /alerts") {
      const given: readonly { readonly labels: Labels }[] = JSON.parse(body);
      this.alerts.push(...given.map(({ labels }) => labels));
      return { status: 200, body: "" };
    }
    const [, id] = /^DELETE \/silence\/(.+)$/.exec(request) ?? [];
    if (id !== undefined) return this.expire(decodeURIComponent(id));
    return { status: 404, body: { code: 404, message: `path ${path} was not found` } };
  }

  #canUpdate(before: FakeSilence, after: Pick<FakeSilence, "matchers" | "startsAt">): boolean {
    if (keyOf(before.matchers) !== keyOf(after.matchers)) return false;
    const state = this.stateOf(before);
    if (state === "active") return Math.floor(before.startsAt / 1_000) === Math.floor(after.startsAt / 1_000);
    return state === "pending" && after.startsAt >= this.#clock.now();
  }

  #wire({ startsAt, endsAt, updatedAt, ...rest }: FakeSilence): unknown {
    const text = (ms: number) => new Date(ms).toISOString();
    const status = { state: this.stateOf({ startsAt, endsAt }) };
    return { ...rest, startsAt: text(startsAt), endsAt: text(endsAt), updatedAt: text(updatedAt), status };
  }
}

/** Alertmanager compares matchers in their order. */
function keyOf(matchers: readonly Matcher[]): string {
  return JSON.stringify(matchers.map(({ name, value, isRegex, isEqual }) => [name, value, isRegex, isEqual]));
}

function refused(text: string): FakeAnswer {
  return { status: 400, body: `Failed to create silence: ${text}` };
}

/** Without code of the exporter, so that a mistake there shows. */
function accepts({ value, isRegex, isEqual }: Matcher, text: string): boolean {
  return (isRegex ? new RegExp(`^(?:${value})$`).test(text) : text === value) === isEqual;
}

export interface RunningAlertmanager {
  readonly fake: FakeAlertmanager;
  /** With the path, without `/api/v2`. */
  readonly url: string;
  close(): Promise<void>;
}

interface Options {
  readonly clock: Clock;
  /** Path before `/api/v2`, as of Grafana. */
  readonly path?: string;
  /** The only accepted value of the header. Default: any. */
  readonly authorization?: string;
}

/** Listens on a free port. `close` it. */
export async function startFakeAlertmanager({
  clock,
  path = "",
  authorization,
}: Options): Promise<RunningAlertmanager> {
  const fake = new FakeAlertmanager(clock);
  const base = `${path}/api/v2`;
  const answerTo = ({ method, path: target, headers, body }: FakeRequest): FakeAnswer => {
    if (authorization !== undefined && headers.authorization !== authorization) {
      return { status: 401, body: { message: "Unauthorized" } };
    }
    const [place = ""] = target.split("?");
    if (!place.startsWith(`${base}/`)) return { status: 404, body: "404 page not found" };
    return fake.answer(method, place.slice(base.length), body);
  };
  const handle = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const { method = "", url = "", headers } = incoming;
    const request = { method, path: url, headers, body: Buffer.concat(chunks).toString() };
    fake.requests.push(request);
    const { fault, delayMs } = fake;
    if (fault === "down") throw new Error("down");
    if (fault === "hangs") return;
    const { status, body } = answerTo(request);
    if (delayMs > 0) await clock.sleep(delayMs);
    if (fault === "lost") throw new Error("lost");
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  };
  const server = createServer((incoming, response) => {
    handle(incoming, response).catch(() => response.destroy());
  });
  const { port, close } = await listenOnLoopback(server);
  return { fake, url: `http://127.0.0.1:${port}${path}`, close };
}
