import { createHash } from "node:crypto";
import http, { type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { EventSource } from "./conductor.ts";

export interface Question {
  readonly method: string;
  readonly url: string;
  /** Names and values alternate. */
  readonly headers: readonly string[];
  readonly body: Buffer;
}

export interface Answer {
  readonly status: number;
  /** Names and values alternate. */
  readonly headers: readonly string[];
  readonly body: Buffer;
}

interface Waiting {
  readonly question: Question;
  readonly due: number;
  /** Orders simultaneous requests. */
  readonly key: string;
  readonly response: ServerResponse;
}

const SLOWEST_MS = 400;
const HOP_BY_HOP = ["connection", "keep-alive", "transfer-encoding", "content-length"];

/** Orders requests by content, not arrival. */
export class Gate implements EventSource {
  readonly #now: () => number;
  readonly #answer: (question: Question) => Promise<Answer>;
  readonly #server: http.Server;
  #waiting: Waiting[] = [];

  constructor(now: () => number, answer: (question: Question) => Promise<Answer>) {
    this.#now = now;
    this.#answer = answer;
    this.#server = http.createServer(
      { keepAliveTimeout: 0, headersTimeout: 0, requestTimeout: 0 },
      (request, response) => {
        void this.#take(request, response);
      },
    );
  }

  async listen(): Promise<number> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return (this.#server.address() as AddressInfo).port;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  next(): number | undefined {
    return this.#waiting.length === 0 ? undefined : Math.min(...this.#waiting.map(({ due }) => due));
  }

  run(): boolean {
    const due = this.#waiting.filter((waiting) => waiting.due <= this.#now());
    const [first] = due.sort((a, b) => a.due - b.due || (a.key < b.key ? -1 : 1));
    if (first === undefined) return false;
    this.#waiting = this.#waiting.filter((waiting) => waiting !== first);
    void this.#pass(first);
    return true;
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "", url = "", rawHeaders: headers } = request;
    const question = { method, url, headers, body: await bodyOf(request) };
    // By URL: a slightly different body must not move everything.
    const due =
      this.#now() + 5 + (createHash("sha256").update(`${method} ${url}`).digest().readUInt32BE() % SLOWEST_MS);
    const key = `${method} ${url} ${createHash("sha256").update(question.body).digest("hex")}`;
    const waiting = { question, due, key, response };
    this.#waiting.push(waiting);
    response.on("close", () => {
      this.#waiting = this.#waiting.filter((other) => other !== waiting);
    });
  }

  async #pass({ question, response }: Waiting): Promise<void> {
    try {
      const { status, headers, body } = await this.#answer(question);
      response.sendDate = false;
      response.writeHead(status, [...endToEnd(headers), "Content-Length", String(body.length)]);
      response.end(body);
    } catch {
      // The server aborted, so abort too.
      response.destroy();
    }
  }
}

/** Rejects an incomplete answer. */
export function ask(port: number, { method, url, headers, body }: Question): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = [
      ...endToEnd(headers),
      "Connection",
      "close",
      ...(body.length > 0 ? ["Content-Length", String(body.length)] : []),
    ];
    const host = headers.some((name, at) => at % 2 === 0 && name.toLowerCase() === "host") ? [] : ["Host", "exporter"];
    const request = http.request(
      { host: "127.0.0.1", port, method, path: url, headers: [...host, ...sent], agent: false },
      (response) => {
        bodyOf(response).then(
          (answered) => resolve({ status: response.statusCode ?? 0, headers: response.rawHeaders, body: answered }),
          reject,
        );
      },
    );
    request.on("error", reject);
    request.end(body);
  });
}

export function headerOf(headers: readonly string[], wanted: string): string | undefined {
  const at = headers.findIndex((name, index) => index % 2 === 0 && name.toLowerCase() === wanted);
  return at === -1 ? undefined : headers[at + 1];
}

function endToEnd(headers: readonly string[]): string[] {
  const pairs: string[] = [];
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at] ?? "";
    if (!HOP_BY_HOP.includes(name.toLowerCase())) pairs.push(name, headers[at + 1] ?? "");
  }
  return pairs;
}

async function bodyOf(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
