import type { Answer } from "../api/reply.ts";
import type { FaultEffects } from "./faults.ts";

/** Answers that a server may give although the specification does not allow them: shortened, empty, of another type. */
export function distortAnswer(answer: Answer, faults: FaultEffects): Answer {
  const distorted = shortenOrEmpty(answer, faults);
  const type = faults.get("content-type")?.type;
  return type === undefined ? distorted : { ...distorted, headers: { ...distorted.headers, "Content-Type": type } };
}

function shortenOrEmpty(answer: Answer, faults: FaultEffects): Answer {
  if (answer.status !== 200 || answer.body === undefined) return answer;
  const shortBy = faults.get("short-rows")?.by;
  const shortened = shortBy === undefined ? answer : { ...answer, body: shortenRows(answer.body, shortBy) };
  const empty = faults.get("empty")?.as;
  return empty === undefined ? shortened : emptyAnswer(shortened, empty);
}

function emptyAnswer({ headers }: Answer, as: "list" | "null" | "204" | "body"): Answer {
  const { "X-Total-Count": _, "X-Result-Count": __, Link: ___, ...rest } = headers;
  const counts = { "X-Result-Count": "0", "X-Total-Count": "0" };
  switch (as) {
    case "list":
      return { status: 200, headers: { ...rest, ...counts }, body: Buffer.from("[]") };
    case "null":
      return { status: 200, headers: { ...rest, ...counts }, body: Buffer.from("null") };
    case "204":
      return { status: 204, headers: counts, body: undefined };
    case "body":
      return { status: 200, headers: rest, body: Buffer.alloc(0) };
  }
}

/** Of a time series: rows with values lose so many of the last, but for the header. */
function shortenRows(body: Buffer, by: number): Buffer {
  const json: unknown = JSON.parse(body.toString());
  if (!Array.isArray(json) || !json.every(Array.isArray)) return body;
  const [header, ...rows] = json;
  return Buffer.from(JSON.stringify([header, ...rows.map((row) => row.slice(0, Math.max(1, row.length - by)))]));
}
