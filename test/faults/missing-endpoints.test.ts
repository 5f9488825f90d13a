import { expect, test, vi } from "vitest";
import { code, table } from "../../scripts/generate/markdown.ts";
import { ASKED, listsOf, type Outcome, outcomeOf, SIZE, STAND_INS } from "./support/missing-endpoints.ts";

/** Starts some hundred exporters and polls each three times. */
vi.setConfig({ testTimeout: 600_000 });

const KINDS = ["sensors", "devices", "groups", "probes", "channels"] as const;
const ALL_LISTS = [...new Set(KINDS.flatMap(listsOf))];
const WHOLE_LISTS = `A kind of object is in three lists: the experimental one, the deprecated one, and that of all objects. If all three are missing, nothing stands in.
\`prtg_channel_value\` then has only what the time series of known channels bring.`;

interface Row {
  readonly what: string;
  readonly outcome: Outcome;
}

test("the page is correct with missing endpoints, single, in pairs and in groups", async () => {
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
  const rows = (given: readonly Row[]) => given.map(({ what, outcome }) => rowOf(what, outcome, usual));
  const page = [
    "<!-- Written by test/faults/missing-endpoints.test.ts when it is run with `--update`; do not edit. -->\n\n# Missing endpoints\n",
    introduction(usual),
    "## One endpoint\n",
    table(HEAD, rows([...alone].map(([endpoint, outcome]) => ({ what: code(endpoint), outcome })))),
    `## Two endpoints\n\n${describePairs(pairs.length, more.length)}\n`,
    ...(more.length > 0 ? [table(HEAD, rows(more.map(({ what, outcome }) => ({ what, outcome }))))] : []),
    `## Whole lists\n\n${WHOLE_LISTS}\n`,
    table(HEAD, rows(whole)),
  ].join("\n");
  await expect(page).toMatchFileSnapshot("../../docs/missing-endpoints.md");
});

interface Pair extends Row {
  readonly first: string;
  readonly second: string;
}

function describePairs(pairs: number, more: number): string {
  const result = more === 0 ? "none loses" : `${more} lose`;
  return `Of ${pairs} pairs, ${result} more than the two endpoints lose alone. A pair is two endpoints that the exporter usually asks for, or one of them and its stand-in.`;
}

/** Skips fallbacks that are only requested without the first: no effect. */
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
  return `This page shows what the metrics page loses if a server lacks endpoints. A later release of PRTG may remove endpoints that are experimental or deprecated.
All lists are, so each list has others that stand in for it ([operations.md](operations.md#when-lists-are-missing)).

A test writes the tables. It polls a simulated server with ${probes} probe, ${groups} groups, ${devices} devices, ${sensors} sensors and ${channels} channels. Then the endpoints answer 404, and 70 minutes
pass, so that all earlier results expire. The test compares the page with the page before, and that one with the simulated server. *Requests* counts one run of each collector, with
\`collectors.timeseries.mode: all\` and all kinds in \`metrics.node_sensors\`. Usually there are ${sum(usual.requests)}.
No channel of this server has a lookup, so the tables do not show that \`prtg_channel_state\` needs \`/lookup-definitions\`.
`;
}
