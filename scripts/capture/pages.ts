import type { Program } from "./conductor.ts";
import type { Stage } from "./stage.ts";

const OPENMETRICS = ["Accept", "application/openmetrics-text; version=1.0.0"];
const JSON_TYPE = ["Accept", "application/json"];

interface Page {
  readonly file: string;
  readonly url: string;
  readonly headers?: readonly string[];
  readonly method?: string;
}

export interface Shown {
  readonly server: string;
  readonly id: string;
}

/** Change with every poll. */
const METRICS: readonly Page[] = [
  { file: "metrics.txt", url: "/metrics" },
  { file: "metrics.om", url: "/metrics", headers: OPENMETRICS },
];

const OTHERS: readonly Page[] = [
  { file: "metrics-gzip.txt", url: "/metrics", headers: ["Accept-Encoding", "gzip"] },
  { file: "metrics-gzip.om", url: "/metrics", headers: [...OPENMETRICS, "Accept-Encoding", "gzip"] },
  {
    file: "metrics-dots.txt",
    url: "/metrics",
    headers: ["Accept", "text/plain; version=1.0.0; escaping=dots"],
  },
  {
    file: "metrics-utf8.om",
    url: "/metrics",
    headers: ["Accept", "application/openmetrics-text; version=1.0.0; escaping=allow-utf-8"],
  },
  ...[0, 1, 2].flatMap((part) => [
    { file: `metrics-shard-${part}.txt`, url: `/metrics?shard=${part}/3` },
    {
      file: `metrics-shard-${part}.om`,
      url: `/metrics?shard=${part}/3`,
      headers: [...OPENMETRICS, "Accept-Encoding", "gzip"],
    },
  ]),
  { file: "metrics-shard-wrong.txt", url: "/metrics?shard=3/3" },
  { file: "overview.html", url: "/" },
  { file: "status.json", url: "/status.json" },
  { file: "cardinality.txt", url: "/debug/cardinality" },
  { file: "cardinality.json", url: "/debug/cardinality", headers: JSON_TYPE },
  { file: "sd.json", url: "/sd" },
  { file: "sd-chosen.json", url: "/sd?server=hq&kind=ping&status=up&status=down&port=9100" },
  { file: "sd-wrong.json", url: "/sd?port=x" },
  { file: "search.html", url: "/search?q=ping" },
  { file: "search.json", url: "/status.json?q=a&server=hq" },
  { file: "search-down.html", url: "/?status=down" },
  { file: "search-down.json", url: "/status.json?status=down" },
  { file: "search-paused.json", url: "/status.json?status=pausedbyuser" },
  { file: "explain-nothing.txt", url: "/debug/explain" },
  { file: "explain-unknown.txt", url: "/debug/explain?object=999999" },
  { file: "tree-unknown.html", url: "/tree?id=999999" },
  { file: "healthy.txt", url: "/-/healthy" },
  { file: "ready.txt", url: "/-/ready" },
  { file: "unknown.txt", url: "/nothing" },
  { file: "post.txt", url: "/metrics", method: "POST" },
];

/** `all`: every page. Otherwise only metrics. */
export async function capturePages(
  stage: Stage,
  program: Program,
  port: number,
  folder: string,
  shown: readonly Shown[] | undefined,
): Promise<void> {
  const pages = shown === undefined ? METRICS : [...METRICS, ...OTHERS, ...shown.flatMap(pagesOf)];
  for (const page of pages) await stage.look(`${folder}/${page.file}`, program, port, page);
}

function pagesOf({ server, id }: Shown): readonly Page[] {
  const name = encodeURIComponent(server);
  return [
    { file: `tree-${server}-${id}.html`, url: `/tree?server=${name}&id=${id}` },
    { file: `tree-${server}-${id}.json`, url: `/status.json?server=${name}&object=${id}` },
    { file: `explain-${server}-${id}.txt`, url: `/debug/explain?server=${name}&object=${id}` },
    { file: `explain-${server}-${id}.json`, url: `/debug/explain?server=${name}&object=${id}`, headers: JSON_TYPE },
  ];
}
