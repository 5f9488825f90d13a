import { connect, type Socket } from "node:net";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";

export const ENCODINGS = ["gzip", "identity"] as const;
export type Encoding = (typeof ENCODINGS)[number];

const BUFFER_BYTES = 1 << 20;

/** Keeps the connection, like Prometheus. Returns the bytes of head and body. */
export async function scrape(url: string, encoding: Encoding): Promise<number> {
  const { host } = new URL(url);
  const kept = connections.get(host);
  if (kept !== undefined && !kept.closed) {
    try {
      return await kept.get(encoding);
    } catch (error) {
      // The server closed the idle connection.
      if (!(error instanceof NothingAnswered)) throw error;
    }
  }
  const connection = new Connection(url);
  connections.set(host, connection);
  return connection.get(encoding);
}

class NothingAnswered extends Error {}

const connections = new Map<string, Connection>();

const END_OF_HEAD = "\r\n\r\n";
const LAST_CHUNK = Buffer.from("0\r\n\r\n");
const HEAD_BYTES = 4_096;

class Connection {
  readonly #url: URL;
  readonly #socket: Socket;
  #beginning = Buffer.alloc(0);
  #last = Buffer.alloc(0);
  #bytes = 0;
  #answered: { resolve(bytes: number): void; reject(error: Error): void } | undefined;
  closed = false;

  constructor(url: string) {
    this.#url = new URL(url);
    const buffer = Buffer.allocUnsafe(BUFFER_BYTES);
    const callback = (count: number) => {
      this.#take(buffer.subarray(0, count));
      return true;
    };
    this.#socket = connect({ host: this.#url.hostname, port: Number(this.#url.port), onread: { buffer, callback } });
    this.#socket.on("error", (error) => this.#fail(error));
    // After "end", the socket is not writable but not closed.
    this.#socket.on("end", () => this.#end());
    this.#socket.on("close", () => this.#end());
    this.#socket.unref();
  }

  get(encoding: Encoding): Promise<number> {
    const { pathname, host } = this.#url;
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    this.#answered = { resolve, reject };
    this.#beginning = Buffer.alloc(0);
    this.#last = Buffer.alloc(0);
    this.#bytes = 0;
    this.#socket.ref();
    this.#socket.write(`GET ${pathname} HTTP/1.1\r\nHost: ${host}\r\nAccept-Encoding: ${encoding}\r\n\r\n`);
    return promise.finally(() => this.#socket.unref());
  }

  #take(part: Buffer): void {
    if (this.#beginning.length < HEAD_BYTES)
      this.#beginning = Buffer.concat([this.#beginning, part.subarray(0, HEAD_BYTES)]);
    this.#bytes += part.length;
    const { length } = LAST_CHUNK;
    this.#last =
      part.length >= length ? Buffer.from(part.subarray(-length)) : Buffer.concat([this.#last, part]).subarray(-length);
    const head = this.#beginning.toString("latin1");
    const end = head.indexOf(END_OF_HEAD);
    const counted = /^content-length: *(\d+)/im.exec(head.slice(0, Math.max(end, 0)))?.[1];
    if (end < 0) return;
    if (
      counted === undefined ? this.#last.equals(LAST_CHUNK) : this.#bytes >= end + END_OF_HEAD.length + Number(counted)
    ) {
      this.#answer(head);
    }
  }

  /** Some servers end a response by closing the connection. */
  #end(): void {
    this.closed = true;
    this.#answer(this.#beginning.toString("latin1"));
  }

  #answer(head: string): void {
    const answered = this.#answered;
    this.#answered = undefined;
    if (/^HTTP\/1\.[01] 200 /.test(head)) answered?.resolve(this.#bytes);
    else if (head === "") answered?.reject(new NothingAnswered(`${this.#url} closed the connection`));
    else answered?.reject(new Error(`${this.#url} answered ${head}`));
  }

  #fail(error: Error): void {
    this.closed = true;
    const isUnanswered = this.#beginning.length === 0;
    this.#answered?.reject(
      isUnanswered ? new NothingAnswered(`${this.#url}: ${error.message}`, { cause: error }) : error,
    );
    this.#answered = undefined;
  }
}

export async function readPage(url: string): Promise<Buffer> {
  const response = await fetch(`${url}/metrics`, { headers: { "accept-encoding": "identity" } });
  if (!response.ok) throw new Error(`${url}: ${response.status}`);
  return Buffer.from(await response.arrayBuffer());
}

export async function readWire(url: string): Promise<Buffer> {
  const { request } = await import("undici");
  const { body } = await request(`${url}/metrics`, { headers: { "accept-encoding": "gzip" } });
  return Buffer.from(await body.arrayBuffer());
}

export async function readGzipped(url: string): Promise<{ readonly wire: Buffer; readonly text: Buffer }> {
  const wire = await readWire(url);
  return { wire, text: await promisify(gunzip)(wire) };
}
