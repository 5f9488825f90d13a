import { startSimulator } from "prtg-simulator/src/simulator.ts";
import { createWorld } from "prtg-simulator/src/world/world.ts";
import { ExporterError } from "../../src/errors/exporter-error.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { reconcile } from "../../src/model/reconcile.ts";
import { EMPTY_TREE, NODE_KINDS, ROOT_ID } from "../../src/model/tree.ts";
import { decodeChannel } from "../../src/prtg/decode/channel.ts";
import { decodeLookup } from "../../src/prtg/decode/lookup.ts";
import { readObjectCounts, readSummary, readVersion } from "../../src/prtg/decode/system-records.ts";
import { decodeTimeSeries } from "../../src/prtg/decode/time-series.ts";
import { noProblems } from "../../src/prtg/decode/values.ts";
import { decodeNode, type NodeKind, type NodeRecord } from "../../src/prtg/node-record.ts";

import { type HttpResponse, readHead } from "../../src/prtg/request/messages.ts";
import { responseError } from "../../src/prtg/request/response-error.ts";
import { parseJson } from "../../src/prtg/request/response-reader.ts";
import { STATUS_TOKENS } from "../../src/prtg/status.ts";
import { mutateJson } from "./mutate-json.ts";
import { mutateText } from "./mutate-text.ts";
import { below, pick } from "./random.ts";
import { type FuzzInput, type FuzzTarget, promise } from "./target.ts";

/** Members that decoders read, and those they must not. */
const MEMBERS = (
  "id name parent path status status_since message lastup lastdown kind sensor_kind kind_name basic priority tags favorite host hostv6 " +
  "intervalgroup interval scanning_interval scheduledependency dependency dependencytype type sensor_status_summary up down total count last_measurement timestamp " +
  "value display_value unit displayunit display_unit custom unittype alerting limits limitmaxerror limit_min_error " +
  "limitmode values entries lookup lookup_type from to text code message request_id version " +
  "__proto__ constructor toString hasOwnProperty length"
).split(" ");

const SERIES_ID = "2490";
/** Whole seconds, for a reproducible corpus. */
const STARTED_AT = Date.UTC(2026, 2, 12, 17);
const HEADERS: readonly Readonly<Record<string, string | string[]>>[] = [
  { "content-type": "application/json" },
  { "content-type": "application/json; charset=utf-8", "x-total-count": "3", link: '</x>; rel="next"' },
  { "content-type": "text/plain" },
  { "content-type": "application/problem+json", "retry-after": "2", date: "Thu, 12 Mar 2026 17:55:10 GMT" },
  {},
  { "content-type": ["application/json", "text/html"], "x-total-count": "-1", date: "yesterday" },
  { "content-type": "", "retry-after": "Thu, 99 Mar 2026", "wait-for": "1e9", link: ";;;rel=next" },
];

type Judge = (answer: unknown) => void;

const JUDGES: Readonly<Record<string, Judge>> = {
  ...Object.fromEntries(NODE_KINDS.map((kind) => [kind, (answer: unknown) => judgeNodes(kind, answer)])),
  channel: (answer) => listOf(answer).forEach(judgeChannel),
  lookup: (answer) => listOf(answer).forEach(judgeLookup),
  series: (answer) => judgeSeries(listOf(answer)),
  counts: judgeSystemRecords,
};

/** Both spellings, damaged. */
export async function openDecoderTarget(): Promise<FuzzTarget> {
  const corpus = await readCorpus();
  const variants = [...corpus.keys()];
  const source = { corpus: [...corpus.values()].flat(), words: MEMBERS.map((name) => `"${name}":`) };
  return {
    name: "decoder",
    draw: (random) => {
      const variant = pick(random, variants);
      const texts = corpus.get(variant) ?? [];
      const status = random() < 0.1 ? `!${pick(random, [302, 400, 401, 404, 408, 429, 500, 503, 599])}` : "";
      const head = below(random, random() < 0.7 ? 1 : HEADERS.length);
      const text =
        random() < 0.6
          ? JSON.stringify(mutateJson(random, JSON.parse(pick(random, texts)), MEMBERS))
          : mutateText(random, { ...source, corpus: texts });
      return { variant: `${variant} ${head}${status}`, text };
    },
    run: runDecoder,
  };
}

function runDecoder({ variant, text }: FuzzInput): void {
  const [, name = "", head = "0", status] = /^(\w+) (\d+)(?:!(\d+))?$/.exec(variant) ?? [];
  const response: HttpResponse = {
    ...readHead(Number(status ?? 200), "", HEADERS[Number(head)] ?? {}),
    body: text,
    bytes: text.length,
  };
  if (status !== undefined) {
    const error = responseError("/sensors", response, STARTED_AT, (said) => said.replaceAll("KEY", "***"));
    promise(!/\p{Cc}/u.test(error.message) && error.message.length < 1_000, "an error is one short line");
    const { retryAfterMs = 0 } = error;
    promise(retryAfterMs >= 0 && Number.isFinite(retryAfterMs), "a wait is a time");
    return;
  }
  const before = Object.getOwnPropertyNames(Object.prototype).length;
  let answer: unknown;
  try {
    answer = parseJson("/sensors", response);
  } catch (error) {
    if (!(error instanceof ExporterError)) throw error;
    return;
  }
  JUDGES[name]?.(answer);
  promise(Object.getOwnPropertyNames(Object.prototype).length === before, "no prototype is changed");
}

function listOf(answer: unknown): readonly unknown[] {
  return Array.isArray(answer) ? answer : [answer];
}

function judgeNodes(kind: NodeKind, answer: unknown): void {
  const nodes: NodeRecord[] = [];
  for (const record of listOf(answer)) {
    const problems = noProblems();
    const node = decodeNode(kind, record, problems);
    promise(problems.record === (node === undefined ? 1 : 0), "a record is decoded or counted");
    if (node === undefined) continue;
    promise(node.id !== "" && typeof node.name === "string", "a node has an id and a name");
    promise((STATUS_TOKENS as readonly string[]).includes(node.status), "a status is one of the known");
    promise(
      node.tags.every((tag) => typeof tag === "string"),
      "tags are texts",
    );
    promise(numbersIn(node).every(Number.isFinite), "numbers are finite");
    nodes.push(node);
  }
  // The root has no place in these lists.
  const items = [...new Map(nodes.map((node) => [node.id, node])).values()].filter(({ id }) => id !== ROOT_ID);
  const first = reconcile(EMPTY_TREE, { [kind]: { items, complete: true, skipped: 0 } });
  promise(first.tree.nodes.size === items.length, "each object has its place in the tree");
  for (const node of first.tree.nodes.values()) promise(!node.path.includes("undefined/"), "a path is made of names");
  const second = reconcile(first.tree, { [kind]: { items: items.slice(1), complete: true, skipped: 0 } });
  promise(second.tree.nodes.size === items.length, "nothing goes after one poll");
}

function judgeChannel(record: unknown): void {
  const problems = noProblems();
  const channel = decodeChannel(record, problems);
  promise(problems.record === (channel === undefined ? 1 : 0), "a record is decoded or counted");
  if (channel === undefined) return;
  promise(channel.sensorId !== "" && channel.channelId !== "", "a channel has its ids");
  promise(typeof channel.unit === "string" && typeof channel.name === "string", "unit and name are texts");
  promise(numbersIn(channel).every(Number.isFinite), "numbers are finite");
}

function judgeLookup(record: unknown): void {
  const problems = noProblems();
  const lookup = decodeLookup(record, problems);
  promise(problems.record === (lookup === undefined ? 1 : 0), "a record is decoded or counted");
  for (const entry of lookup?.entries ?? []) {
    promise(entry.text !== "", "an entry has a text");
    promise(entry.kind === "bits" ? entry.bits >= 0 : entry.to >= entry.from, "a range is one");
  }
  promise(numbersIn(lookup).every(Number.isFinite), "numbers are finite");
}

function judgeSeries(answer: readonly unknown[]): void {
  const series = decodeTimeSeries(answer, SERIES_ID, noProblems());
  if (series === undefined) return;
  const { rows, gaps } = series;
  promise(
    rows.every(({ at }, index) => index === 0 || at > (rows[index - 1]?.at ?? 0)),
    "rows ascend",
  );
  promise(
    gaps.every((at, index) => index === 0 || at > (gaps[index - 1] ?? 0)),
    "gaps ascend",
  );
  promise(
    rows.every(({ values }) => values.length > 0),
    "a row has values",
  );
  promise(numbersIn(series).every(Number.isFinite), "numbers are finite");
}

function judgeSystemRecords(answer: unknown): void {
  promise(numbersIn(readSummary(answer, noProblems())).every(Number.isFinite), "counts are finite");
  promise([...readObjectCounts(answer).values()].every(Number.isSafeInteger), "counts are whole numbers");
  promise(
    [...readVersion(answer).values()].every((part) => typeof part === "string"),
    "versions are texts",
  );
}

/** Recursive. */
function numbersIn(value: unknown): number[] {
  if (typeof value === "number") return [value];
  if (value instanceof Map) return [...value.values()].flatMap(numbersIn);
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(numbersIn) : [];
}

async function readCorpus(): Promise<ReadonlyMap<string, readonly string[]>> {
  const corpus = new Map<string, string[]>();
  for (const spelling of ["live", "specification"] as const) {
    const world = createWorld({ seed: 1, size: { sensors: 12, channels: 36 }, startedAt: STARTED_AT });
    const apiKey = "KEY-OF-THE-FUZZER";
    const credentials = { apiKey, username: "fuzzer", password: "password of the fuzzer" };
    const clock = { ...systemClock, now: () => STARTED_AT };
    const simulator = await startSimulator({ world, clock, spelling, credentials });
    const sensor = world.list("sensor")[0]?.id ?? "";
    const paths: readonly (readonly [string, string])[] = [
      ...NODE_KINDS.flatMap((kind) => [
        [kind, `/experimental/${kind}s?limit=3&include=intervalgroup,scheduledependency,path`] as const,
        [kind, `/${kind}s?limit=3`] as const,
      ]),
      ["channel", "/experimental/channels?limit=3&include=alerting,values"],
      ["channel", "/channels?limit=3"],
      ["lookup", "/lookup-definitions?limit=2"],
      ["series", `/experimental/timeseries/${sensor}/live`],
      ["counts", "/sensor-status-summary"],
      ["counts", "/objects/count"],
      ["counts", "/version"],
    ];
    try {
      for (const [variant, path] of paths) {
        const answer = await fetch(`${simulator.url}/api/v2${path}`, {
          headers: { authorization: `Bearer ${apiKey}` },
        });
        const text = await answer.text();
        if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${text}`);
        corpus.set(variant, [...(corpus.get(variant) ?? []), shortened(variant, text, sensor)]);
      }
    } finally {
      await simulator.close();
    }
  }
  return corpus;
}

/** Five rows of hundreds contain all cases. */
function shortened(variant: string, text: string, sensor: string): string {
  if (variant !== "series") return text;
  const rows: unknown = JSON.parse(text);
  const short = JSON.stringify(Array.isArray(rows) ? rows.slice(0, 6) : rows);
  return short.replaceAll(`"${sensor}.`, `"${SERIES_ID}.`);
}
