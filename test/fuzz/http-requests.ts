import { connect } from "node:net";
import { performance } from "node:perf_hooks";
import type { FuzzedRequest } from "./fuzzed-request.ts";
import { answerFaults } from "./http-answers.ts";
import { pick, type Random, randomOf } from "./random.ts";

interface HttpFuzzOptions {
  readonly host: string;
  readonly port: number;
  /** Same seed, same bytes. */
  readonly seed: number;
  readonly inputs: number;
  /** Concurrent connections, default 16. */
  readonly connections?: number;
  readonly paths: readonly string[];
  /** Slower answers count as hangs. Default: 10 s. */
  readonly patienceMs?: number;
  readonly progress?: (inputs: number) => void;
}

interface HttpFuzzReport {
  readonly inputs: number;
  readonly connections: number;
  /** Complete answers by status. */
  readonly statuses: ReadonlyMap<number, number>;
  /** First hundred, with seed and connection. */
  readonly violations: readonly string[];
  readonly seconds: number;
}

const MAX_VIOLATIONS = 100;
const MAX_PIPELINED = 8;

/** Rejects only for invalid options. */
export async function runHttpFuzz(options: HttpFuzzOptions): Promise<HttpFuzzReport> {
  const { inputs, seed, paths, connections: width = 16 } = options;
  const started = performance.now();
  const statuses = new Map<number, number>();
  const violations: string[] = [];
  let sent = 0;
  let connections = 0;
  const work = async (): Promise<void> => {
    while (sent < inputs) {
      const number = connections++;
      const batch = fuzzedConnection(randomOf(seed, number), paths, inputs - sent);
      sent += batch.length;
      const outcome = await exchange(batch, options);
      for (const status of outcome.statuses) statuses.set(status, (statuses.get(status) ?? 0) + 1);
      for (const fault of outcome.faults) {
        if (violations.length < MAX_VIOLATIONS) violations.push(`seed ${seed}, connection ${number}: ${fault}`);
      }
      options.progress?.(sent);
    }
  };
  await Promise.all(Array.from({ length: width }, work));
  return { inputs: sent, connections, statuses, violations, seconds: (performance.now() - started) / 1_000 };
}

interface Outcome {
  readonly statuses: readonly number[];
  readonly faults: readonly string[];
}

function exchange(
  batch: readonly FuzzedRequest[],
  { host, port, patienceMs = 10_000 }: HttpFuzzOptions,
): Promise<Outcome> {
  const last = batch.at(-1);
  return new Promise((resolve) => {
    const received: Buffer[] = [];
    const socket = connect({ host, port });
    const late = setTimeout(() => {
      socket.destroy();
      resolve({ statuses: [], faults: [`no end after ${patienceMs} ms: ${describe(batch)}`] });
    }, patienceMs);
    // Resets are valid. The end checks earlier answers.
    socket.on("error", () => undefined);
    socket.on("data", (chunk) => received.push(chunk));
    socket.on("close", () => {
      clearTimeout(late);
      const { statuses, faults } = answerFaults(Buffer.concat(received), batch);
      resolve({ statuses, faults: faults.map((fault) => `${fault}: ${describe(batch)}`) });
    });
    socket.on("connect", () => {
      for (const { bytes } of batch) socket.write(bytes);
      if (last?.then === "goes away") setTimeout(() => socket.destroy(), 5);
      else if (last?.then === "resets") setTimeout(() => socket.resetAndDestroy(), 2);
    });
  });
}

function describe(batch: readonly FuzzedRequest[]): string {
  return batch.map(({ bytes }) => JSON.stringify(bytes.subarray(0, 200).toString("latin1"))).join(" + ");
}

/** The last one is arbitrary. */
function fuzzedConnection(random: Random, paths: readonly string[], most: number): FuzzedRequest[] {
  const batch: FuzzedRequest[] = [];
  const length = 1 + Math.floor(random() * Math.min(most, MAX_PIPELINED));
  while (batch.length < length) {
    const isLast = batch.length + 1 === length;
    const request = isLast && random() < 0.5 ? hostileRequest(random, paths) : framedRequest(random, paths, isLast);
    batch.push(request);
    if (!request.isFramed) break;
  }
  return batch;
}

/** Valid but odd. The last one closes. */
function framedRequest(random: Random, paths: readonly string[], isLast: boolean): FuzzedRequest {
  const method = pick(random, [
    "GET",
    "GET",
    "GET",
    "HEAD",
    "POST",
    "PUT",
    "DELETE",
    "OPTIONS",
    "TRACE",
    "PATCH",
    "PROPFIND",
  ]);
  const body = random() < 0.2 ? bytesOf(random, Math.floor(random() ** 3 * 20_000)) : undefined;
  const lines = [`${method} ${oddTarget(random, paths)} HTTP/1.1`, "Host: exporter"];
  for (let count = Math.floor(random() * 6); count > 0; count--) lines.push(oddHeader(random));
  const parts: Buffer[] = [];
  if (body === undefined) {
    if (random() < 0.1) lines.push("Content-Length: 0");
  } else if (random() < 0.5) {
    lines.push(`Content-Length: ${body.length}`);
    parts.push(body);
  } else {
    lines.push("Transfer-Encoding: chunked");
    parts.push(chunked(random, body));
  }
  if (isLast) lines.push("Connection: close");
  const head = Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1");
  const then = isLast && random() < 0.1 ? pick(random, ["goes away", "resets"] as const) : "reads";
  return { bytes: Buffer.concat([head, ...parts]), isHead: method === "HEAD", isFramed: true, then };
}

/** The test only waits for required answers. */
function hostileRequest(random: Random, paths: readonly string[]): FuzzedRequest {
  const kind = Math.floor(random() * 12);
  const target = oddTarget(random, paths);
  const then = random() < 0.7 ? ("goes away" as const) : ("resets" as const);
  const hostile = (text: string | Buffer): FuzzedRequest => ({
    bytes: typeof text === "string" ? Buffer.from(text, "latin1") : text,
    isHead: false,
    isFramed: false,
    then,
  });
  if (kind === 0) return hostile(bytesOf(random, 1 + Math.floor(random() * 3_000)));
  if (kind === 1)
    return hostile(
      `${pick(random, ["", "get", "G ET", "GET\t", "\0", "é", "A".repeat(5_000)])} ${target} HTTP/1.1\r\n\r\n`,
    );
  if (kind === 2)
    return hostile(
      `GET ${target} ${pick(random, ["HTTP/9.9", "HTTP/0.9", "http/1.1", "HTTP/1", "", "ICY", "HTTP/1.1 x"])}\r\nHost: x\r\n\r\n`,
    );
  if (kind === 3) return hostile(`GET ${rawTarget(random)} HTTP/1.1\r\nHost: x\r\n\r\n`);
  if (kind === 4) return hostile(`GET / HTTP/1.1\r\nHost: x\r\n${brokenHeader(random)}\r\n\r\n`);
  if (kind === 5) return hostile(`POST ${target} HTTP/1.1\r\nHost: x\r\n${pick(random, BAD_FRAMES)}\r\n\r\nabc`);
  if (kind === 6)
    return hostile(
      `POST ${target} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n${pick(random, BAD_CHUNKS)}`,
    );
  if (kind === 7)
    return hostile(`CONNECT ${pick(random, ["example.com:443", "/metrics", "*", ""])} HTTP/1.1\r\nHost: x\r\n\r\n`);
  if (kind === 8)
    return hostile(
      `GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: ${pick(random, ["websocket", "h2c", "TLS/1.0", ""])}\r\n\r\n`,
    );
  if (kind === 9) return hostile(pick(random, [TLS_HELLO, HTTP2_PREFACE]));
  if (kind === 10)
    return hostile(`GET ${target} HTTP/1.1\r\nHost: x\r\nX: ${"y".repeat(Math.floor(random() * 40_000))}\r\n\r\n`);
  const { bytes } = framedRequest(random, paths, true);
  return hostile(bytes.subarray(0, Math.floor(random() * bytes.length)));
}

const TLS_HELLO = Buffer.from("16030100c8010000c40303", "hex");
const HTTP2_PREFACE = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0", "latin1");

const BAD_FRAMES = [
  "Content-Length: -1",
  "Content-Length: 1, 2",
  "Content-Length: 3\r\nContent-Length: 4",
  "Content-Length: 0x10",
  "Content-Length: 99999999999999999999",
  "Content-Length: 2000000",
  "Content-Length: 3\r\nTransfer-Encoding: chunked",
  "Transfer-Encoding: gzip",
  "Transfer-Encoding: chunked, identity",
  "Transfer-Encoding: \tchunked\r\nTransfer-Encoding: chunked",
  "Expect: 100-continue\r\nContent-Length: 3",
  "Expect: the-unexpected",
];

const BAD_CHUNKS = [
  "zz\r\n",
  "-1\r\n",
  "ffffffffffffffffff\r\n",
  "3\r\nab\r\n0\r\n\r\n",
  "1;".concat("x".repeat(20_000), "\r\n"),
  "0\r\nX\r\n\r\n",
];

/** Parsers must accept this target. */
function oddTarget(random: Random, paths: readonly string[]): string {
  const path = pick(random, paths);
  const kind = Math.floor(random() * 12);
  if (kind < 5) return random() < 0.5 ? path : `${path}?${oddQuery(random)}`;
  if (kind === 5) return `http://exporter${path}?${oddQuery(random)}`;
  if (kind === 6)
    return pick(random, [
      "/../../etc/passwd",
      "/..%2f..%2fetc%2fpasswd",
      "//",
      "/./metrics",
      "/%2e%2e/",
      "/metrics/",
      "//metrics",
      "/%6detrics",
    ]);
  if (kind === 7)
    return pick(random, [
      "*",
      "http://",
      "http://[",
      "HTTPS://x",
      "http:///",
      "/?",
      "/#",
      "/metrics#x",
      "http://a@b:c/d",
    ]);
  if (kind === 8)
    return pick(random, ["/%00", "/%", "/%zz", "/%c0%af", "/%ff%fe", "/metrics%00", "/metrics;x=1", "/a\\b"]);
  if (kind === 9) return `/${"a/".repeat(Math.floor(random() * 5_000))}`;
  if (kind === 10) return `${path}?${"&x=1".repeat(Math.floor(random() * 2_000))}`;
  return `/${Array.from({ length: 1 + Math.floor(random() * 30) }, () => String.fromCharCode(33 + Math.floor(random() * 94))).join("")}`;
}

function oddQuery(random: Random): string {
  const name = pick(random, ["object", "shard", "server", "port", "tag", "q", "limit", "__proto__", "x", ""]);
  const value = pick(random, [
    "1",
    "2490.1",
    "0/0",
    "1/0",
    "-1/3",
    "3/2",
    "1/99999999999",
    "NaN",
    "%00",
    "%",
    "%zz",
    "%f0%9f%92%a9",
    "..",
    "'",
    "<script>",
    "a".repeat(3_000),
    "",
  ]);
  return random() < 0.1 ? `${name}=${value}&${name}=${value}` : `${name}=${value}`;
}

function rawTarget(random: Random): string {
  return pick(random, [
    "/\0",
    "/ x",
    "/\x7f",
    "/\r",
    "/é\xff",
    "",
    "metrics",
    "\t/",
    `/${"b".repeat(30_000)}`,
    "/metrics\u0001",
  ]);
}

function oddHeader(random: Random): string {
  return pick(random, [
    "Accept: application/openmetrics-text;version=1.0.0;q=0.9,text/plain;q=0.1",
    "Accept: */*;q=nonsense",
    `Accept: ${"text/plain;q=0.5,".repeat(300)}*/*`,
    "Accept: ,,,;;;==",
    "Accept: application/openmetrics-text; version=99; escaping=underscores",
    "Accept-Encoding: gzip;q=0, identity;q=0",
    "Accept-Encoding: gzip",
    `Accept-Encoding: ${"x,".repeat(500)}`,
    "Authorization: Basic !!!!",
    `Authorization: Basic ${"A".repeat(4_000)}`,
    "Authorization: Bearer x",
    "Range: bytes=0-0",
    "If-None-Match: *",
    "Cookie: a=b; __proto__=1",
    "X-Forwarded-For: 127.0.0.1",
    "Origin: null",
    "Connection: keep-alive",
    "__proto__: x",
    "constructor: x",
    `X-Long: ${"z".repeat(2_000)}`,
    "X-Bytes: \xff\xfe\x80",
  ]);
}

function brokenHeader(random: Random): string {
  return pick(random, [
    "no colon",
    ": no name",
    "X y: 1",
    "X: a\0b",
    "X: a\rb",
    " folded: first",
    "X: 1\r\n folded",
    "X\t: 1",
    "\x80: 1",
    "Host: second",
    "Host: a b",
    "X: \x7f",
  ]);
}

function chunked(random: Random, body: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; at < body.length; ) {
    const size = Math.min(body.length - at, 1 + Math.floor(random() * 4_000));
    parts.push(
      Buffer.from(`${size.toString(16)}${random() < 0.1 ? ";name=value" : ""}\r\n`),
      body.subarray(at, at + size),
      Buffer.from("\r\n"),
    );
    at += size;
  }
  parts.push(Buffer.from(random() < 0.1 ? "0\r\nX-Trailer: 1\r\n\r\n" : "0\r\n\r\n"));
  return Buffer.concat(parts);
}

/** Drawing each byte would dominate the time. */
const NOISE = Buffer.alloc(64 * 1024);
const drawNoise = randomOf(0, 0);
for (let at = 0; at < NOISE.length; at++) NOISE[at] = Math.floor(drawNoise() * 256);

function bytesOf(random: Random, length: number): Buffer {
  const start = Math.floor(random() * (NOISE.length - length));
  return NOISE.subarray(start, start + length);
}
