import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { listenOnLoopback } from "../../support/loopback.ts";

const LARGE_BYTES = 60_000_000;
const SENSORS = 20;
const DEPTH = 20_000;

export const HOSTILITIES = {
  "lists without end": (page) => (page === undefined ? undefined : records(page, (at) => node(at, `\u2603 ${at}`))),
  "lists without end, of long names": (page) =>
    page === undefined ? undefined : records(page, (at) => node(at, `\u2603${at}`.padEnd(1_500, "x"))),
  "60 MB of [{},{},...]": () => repeated("[{}", ",{}"),
  "60 MB of [[[...": () => repeated("[", "["),
  "60 MB of one text": () => repeated('"', "x"),
  "60 MB of nested rows": () => repeated('[["time"]', ',[[],[],{"a":[]}]'),
  "60 MB of an error": () => ({ ...repeated('{"code":"', "x"), status: 500 }),
  "an encoding that was not asked for": () => ({ ...repeated("", "\u001f"), encoding: "gzip" }),
  "a name of 10 MB": (page) => page && records(page, (at) => node(at, "x".repeat(at === 1 ? 10_000_000 : 10)), 50),
  "groups within groups": (page) =>
    page && records(page, (at) => ({ ...node(at, "y".repeat(100)), parent: { id: String(at - 1) } }), DEPTH),
  "one sensor with all channels": (page) => page && records(page, (at) => node(at, `channel ${at}`), 60_000),
} satisfies Record<string, (page: Page | undefined) => Body | undefined>;
export type Hostility = keyof typeof HOSTILITIES;

interface Page {
  readonly kind: string;
  readonly offset: number;
  readonly limit: number;
}

interface Body {
  readonly pieces: Iterable<string>;
  readonly status?: number;
  readonly encoding?: string;
}

export class HostileServer {
  hostility: Hostility | undefined;
  readonly url: string;
  readonly #close: () => void;

  private constructor(url: string, close: () => void) {
    this.url = url;
    this.#close = close;
  }

  static async start(): Promise<HostileServer> {
    const server = createServer((request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? "", "http://server");
      const kind = /\/experimental\/(\w+)$/.exec(pathname)?.[1];
      const [offset, limit] = [Number(searchParams.get("offset")), Number(searchParams.get("limit"))];
      const page = kind === undefined ? undefined : { kind, offset, limit };
      const { hostility } = started;
      const hostile = hostility === undefined ? undefined : HOSTILITIES[hostility](page);
      void send(response, hostile ?? sound(pathname, page)).catch(() => response.destroy());
    });
    const { port, close } = await listenOnLoopback(server);
    const started = new HostileServer(`http://127.0.0.1:${port}`, () => void close());
    return started;
  }

  close(): void {
    this.#close();
  }
}

async function send(response: ServerResponse, { pieces, status = 200, encoding }: Body): Promise<void> {
  const gone = once(response, "close");
  response.writeHead(status, {
    "content-type": "application/json",
    ...(encoding !== undefined && { "content-encoding": encoding }),
  });
  for (const piece of pieces) {
    if (response.destroyed) return;
    if (!response.write(piece)) await Promise.race([new Promise((resolve) => response.once("drain", resolve)), gone]);
  }
  response.end();
}

function sound(pathname: string, page: Page | undefined): Body {
  if (page === undefined) {
    const isThere = /\/(health|version|objects\/count|sensor-status-summary)$/.test(pathname);
    return isThere ? { pieces: ["{}"] } : { pieces: ['{"code":"NOT_FOUND"}'], status: 404 };
  }
  const length = page.kind === "sensors" || page.kind === "channels" ? SENSORS : 1;
  return records(page, (at) => node(at, `object ${at}`), length);
}

/** Ids show the kind. Parents are the only object above. */
const PLACES: Readonly<Record<string, { readonly first: number; readonly parent: number }>> = {
  probes: { first: 0, parent: 0 },
  groups: { first: 1_000_000_000, parent: 1 },
  devices: { first: 2_000_000_000, parent: 1_000_000_001 },
  sensors: { first: 3_000_000_000, parent: 2_000_000_001 },
};

function records(page: Page, record: (at: number) => object, length = Number.POSITIVE_INFINITY): Body {
  const count = Math.max(0, Math.min(page.limit, length - page.offset));
  const place = PLACES[page.kind];
  const shown = Array.from({ length: count }, (_, index) => {
    const at = page.offset + index + 1;
    const own = record(at) as { readonly parent?: { readonly id: string } };
    if (place === undefined) {
      const sensor = (PLACES.sensors?.first ?? 0) + (length === 60_000 ? 1 : ((at - 1) % SENSORS) + 1);
      const measured = { timestamp: new Date().toISOString(), display_value: at };
      return JSON.stringify({ ...own, id: `${sensor}.${at}`, parent: undefined, last_measurement: measured });
    }
    const parent = own.parent === undefined || at === 1 ? place.parent : place.first + Number(own.parent.id);
    return JSON.stringify({ ...own, id: String(place.first + at), parent: { id: String(parent) }, status: "UP" });
  });
  return { pieces: [`[${shown.join(",")}]`] };
}

function node(at: number, name: string): object {
  return { id: String(at), name };
}

function repeated(head: string, unit: string): Body {
  const piece = unit.repeat(Math.ceil(65_536 / unit.length));
  return { pieces: many(head, piece, Math.ceil(LARGE_BYTES / piece.length)) };
}

function* many(head: string, piece: string, times: number): Generator<string> {
  yield head;
  for (let time = 0; time < times; time++) yield piece;
}
