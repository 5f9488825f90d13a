import type { FuzzedRequest } from "./fuzzed-request.ts";

const STATUS_LINE = /^HTTP\/1\.1 ([1-5]\d\d)( [\t\x20-\x7e]*)?$/;
const HEADER = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+: ?[\t\x20-\x7e\x80-\xff]*$/;

interface Judgement {
  /** Of complete answers, in order. */
  readonly statuses: readonly number[];
  readonly faults: readonly string[];
}

/** RFC 9112: valid, of the stated length, no more than requests, one per waiting client. */
export function answerFaults(received: Buffer, batch: readonly FuzzedRequest[]): Judgement {
  const statuses: number[] = [];
  const waits = batch.every(({ then }) => then === "reads");
  let rest = received;
  while (rest.length > 0) {
    const end = rest.indexOf("\r\n\r\n");
    if (end === -1) return { statuses, faults: waits ? ["a head is cut off"] : [] };
    const [statusLine = "", ...lines] = rest.subarray(0, end).toString("latin1").split("\r\n");
    const status = Number(STATUS_LINE.exec(statusLine)?.[1] ?? 0);
    if (status === 0) return { statuses, faults: [`no status line: ${JSON.stringify(statusLine)}`] };
    const wrong = lines.find((line) => !HEADER.test(line));
    if (wrong !== undefined) return { statuses, faults: [`no header: ${JSON.stringify(wrong)}`] };
    rest = rest.subarray(end + 4);
    if (status === 100) continue;
    const headers = new Map(
      lines.map((line) => [line.slice(0, line.indexOf(":")).toLowerCase(), line.slice(line.indexOf(":") + 1).trim()]),
    );
    if (status >= 500 && status !== 503) return { statuses, faults: [`status ${status}`] };
    const request = batch[statuses.length];
    if (request === undefined) return { statuses, faults: [`more answers than requests (${status})`] };
    if (!request.isHead && !headers.has("content-length") && !headers.has("transfer-encoding")) {
      return { statuses, faults: [`an answer of unknown length (${status})`] };
    }
    const length = request.isHead ? 0 : bodyLength(rest, headers);
    if (length === undefined || length > rest.length) {
      return { statuses, faults: waits ? [`a body is cut off (${status})`] : [] };
    }
    rest = rest.subarray(length);
    statuses.push(status);
  }
  const isComplete = statuses.length === batch.length || !waits || isRefused(statuses);
  return { statuses, faults: isComplete ? [] : [`${statuses.length} answers to ${batch.length} requests`] };
}

/** After an unreadable request, the connection must end. */
function isRefused(statuses: readonly number[]): boolean {
  return [400, 413, 431].includes(statuses.at(-1) ?? 0);
}

/** Undefined: chunks invalid or incomplete. */
function bodyLength(rest: Buffer, headers: ReadonlyMap<string, string>): number | undefined {
  const length = headers.get("content-length");
  if (length !== undefined) return /^\d+$/.test(length) ? Number(length) : undefined;
  let at = 0;
  for (;;) {
    const lineEnd = rest.indexOf("\r\n", at);
    if (lineEnd === -1) return undefined;
    const size = Number.parseInt(rest.subarray(at, lineEnd).toString("latin1"), 16);
    if (Number.isNaN(size)) return undefined;
    at = lineEnd + 2 + size + 2;
    if (size === 0) return at;
  }
}
