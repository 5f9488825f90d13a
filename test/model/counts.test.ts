import { expect, test } from "vitest";
import { countStatuses } from "../../src/model/counts.ts";
import { STATUS_TOKENS, type StatusToken } from "../../src/prtg/status.ts";

type Counts = Partial<Record<StatusToken, number>>;

function summary(counts: Counts, total?: number) {
  return { counts: new Map(Object.entries(counts) as [StatusToken, number][]), total };
}

const allZero = Object.fromEntries(STATUS_TOKENS.map((token) => [token, 0]));

test.each<{
  name: string;
  summary: ReturnType<typeof summary> | undefined;
  statuses: StatusToken[] | undefined;
  expected: Counts;
  consistent: boolean;
}>([
  {
    name: "come from the summary if it has them",
    summary: summary({ up: 5, down: 1 }, 6),
    statuses: ["up", "up"],
    expected: { ...allZero, up: 5, down: 1 },
    consistent: true,
  },
  {
    name: "are completed from the list",
    summary: summary({ up: 5 }, 7),
    statuses: ["up", "collecting", "none"],
    expected: { ...allZero, up: 5, collecting: 1, none: 1 },
    consistent: true,
  },
  {
    name: "do not add up to the total",
    summary: summary({ up: 5, down: 1 }, 7),
    statuses: [],
    expected: { ...allZero, up: 5, down: 1 },
    consistent: false,
  },
  {
    name: "do not add up once completed",
    summary: summary({ up: 5 }, 5),
    statuses: ["none"],
    expected: { ...allZero, up: 5, none: 1 },
    consistent: false,
  },
  {
    name: "need no total",
    summary: summary({ up: 5 }),
    statuses: ["none"],
    expected: { ...allZero, up: 5, none: 1 },
    consistent: true,
  },
  {
    name: "come from the list alone without a summary",
    summary: undefined,
    statuses: ["up", "up", "pauseduntil"],
    expected: { ...allZero, up: 2, pauseduntil: 1 },
    consistent: true,
  },
  {
    name: "are zero without sensors",
    summary: undefined,
    statuses: [],
    expected: allZero,
    consistent: true,
  },
  {
    name: "lack unknown statuses",
    summary: summary({ up: 5 }, 5),
    statuses: undefined,
    expected: { up: 5 },
    consistent: true,
  },
])("counts $name", ({ summary: given, statuses, expected, consistent }) => {
  const result = countStatuses(given, statuses);
  expect(Object.fromEntries(result.counts)).toEqual(expected);
  expect(result.consistent).toBe(consistent);
});
