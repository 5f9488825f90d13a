import { expect, test, vi } from "vitest";
import { code, table } from "../../scripts/generate/markdown.ts";
import { ASKED, listsOf, type Outcome, outcomeOf, SIZE, STAND_INS } from "./support/missing-endpoints.ts";

/** Some hundred exporters, each of which is started and polled five times. */
vi.setConfig({ testTimeout: 600_000 });

const KINDS = ["sensors", "devices", "groups", "probes", "channels"] as const;
const SINGLES = [
  "/sensors/{id}",
  "/devices/{id}",
  "/groups/{id}",
  "/probes/{id}",
  "/sensors/{id}/data",
  "/channels/{id}",
] as const;
const ALL_LISTS = [...new Set(KINDS.flatMap(listsOf))];

interface Row {
  readonly what: string;
  readonly outcome: Outcome;
}

test("what still comes with endpoints missing, alone, in pairs and whole, is what the page says", async () => {
  const usual = await outcomeOf([]);
  expect(describeLoss(usual)).toEqual([]);
  const alone = new Map<string, Outcome>();
  for (const endpoint of ASKED) alone.set(endpoint, await outcomeOf([endpoint]));
  const pairs = await outcomesOfPairs(alone);
  const more = pairs.filter(({ first, second, outcome }) => {
    const expected = new Set([first, second].flatMap((each) => describeLoss(alone.get(each) ?? usual)));
    return describeLoss(outcome).some((loss) => !expected.has(loss));
  });
  const whole: Row[] = [];
  for (const kind of KINDS) whole.push({ what: `all lists of ${kind}`, outcome: await outcomeOf(listsOf(kind)) });
  whole.push({ what: "all lists", outcome: await outcomeOf(ALL_LISTS) });
  for (const single of SINGLES) {
    whole.push({ what: `all lists, and ${code(single)}`, outcome: await outcomeOf([...ALL_LISTS, single]) });
  }
  const restarted: Row[] = [];
  for (const restart of ["with state_dir", "without state_dir"] as const) {
    const what = `all lists, ${restart.replace("state_dir", code("state_dir"))}`;
    restarted.push({ what, outcome: await outcomeOf(ALL_LISTS, restart) });
  }
  const rows = (given: readonly Row[]) => given.map(({ what, outcome }) => rowOf(what, outcome, usual));
  const page = [
    "<!-- Written by test/faults/missing-endpoints.test.ts when it is run with `--update`; do not edit. -->\n\n# Missing endpoints\n",
    introduction(usual),
    "## One endpoint\n",
    table(HEAD, rows([...alone].map(([endpoint, outcome]) => ({ what: code(endpoint), outcome })))),
    `## Two endpoints\n\n${describePairs(pairs.length, more.length)}\n`,
    ...(more.length > 0 ? [table(HEAD, rows(more.map(({ what, outcome }) => ({ what, outcome }))))] : []),
    "## Whole lists\n\nA kind of object is in three lists: its own, the deprecated one, and that of all objects.\n",
    table(HEAD, rows(whole)),
    "## After a restart\n\nThe exporter is stopped, and started when the lists are missing; see [operations.md](operations.md#when-lists-are-missing).\n",
    table(HEAD, rows(restarted)),
  ].join("\n");
  await expect(page).toMatchFileSnapshot("../../docs/missing-endpoints.md");
});

interface Pair extends Row {
  readonly first: string;
  readonly second: string;
}

function describePairs(pairs: number, more: number): string {
  const result = more === 0 ? "none loses" : `${more} lose`;
  return `Of ${pairs} pairs, ${result} more than what each of the two loses alone. Endpoints that are asked for only in the place of others are among them
with those; two of them cost nothing while the others are there.`;
}

/** An endpoint that is not asked for without the first is no less there with it: what it changes is nothing. */
async function outcomesOfPairs(alone: ReadonlyMap<string, Outcome>): Promise<readonly Pair[]> {
  const pairs: Pair[] = [];
  for (const [first, { requests }] of alone) {
    const others = ASKED.slice(ASKED.indexOf(first) + 1);
    const standIns = STAND_INS.filter((endpoint) => requests.has(endpoint));
    for (const second of [...others, ...standIns]) {
      const what = `${code(first)}, ${code(second)}`;
      pairs.push({ what, first, second, outcome: await outcomeOf([first, second]) });
    }
  }
  return pairs;
}

/** What is not as it is usually, one text for each loss. */
function describeLoss({ lost, wrong, up }: Outcome): readonly string[] {
  return [
    ...lost,
    ...[...wrong].flatMap(([name, what]) => what.map((each) => `${name}: ${each}`)),
    ...(up ? [] : ["up"]),
  ];
}

const HEAD = ["missing", "stands in", "not shown", "not the same", "`prtg_up`", "requests"];

function rowOf(what: string, { missing, lost, wrong, up, requests }: Outcome, usual: Outcome): readonly string[] {
  const standIns = [...requests.keys()].filter((route) => !usual.requests.has(route) && !missing.includes(route));
  const list = (names: Iterable<string>) => [...names].toSorted().map(code).join(", ");
  return [what, list(standIns), list(lost), list(wrong.keys()), up ? "1" : "0", String(sum(requests))];
}

function sum(requests: Outcome["requests"]): number {
  return [...requests.values()].reduce((all, count) => all + count, 0);
}

function introduction(usual: Outcome): string {
  const { probes, groups, devices, sensors, channels } = SIZE;
  return `What the metrics page still shows when the server lacks endpoints that it had, and what it costs: a later release may end any endpoint that is
experimental or deprecated, and that is all lists ([operations.md](operations.md#when-lists-are-missing)). The tables are the result of a test: a simulated server with ${probes} probe,
${groups} groups, ${devices} devices, ${sensors} sensors and ${channels} channels is polled; then the endpoints answer 404, and an hour passes, so that nothing is left of what they gave. What the page shows
then is held against what it showed before, and that against the simulated world. *Requests* are those of one run of each collector, with
\`collectors.timeseries.mode: all\` and all kinds in \`metrics.node_sensors\`; usually ${sum(usual.requests)}.
No channel there has a lookup: without \`/lookup-definitions\` there is no \`prtg_channel_state\` either.
`;
}
