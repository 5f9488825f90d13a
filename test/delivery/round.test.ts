import { describe, expect, test } from "vitest";
import { deliver, type Ending, type Verdict } from "../../src/delivery/round.ts";

/** A receiver that answers the requests of a round. `undefined`: accepts. */
type Answer = (items: readonly number[], request: number) => Verdict | undefined;

interface Delivered {
  readonly ending: Ending;
  /** Items of each request, `probe` for a probe. */
  readonly requests: readonly string[];
  readonly accepted: readonly number[];
  readonly refused: readonly number[];
}

function run(
  parts: readonly (readonly number[])[],
  answer: Answer,
  { acceptedProbes = Number.POSITIVE_INFINITY }: { acceptedProbes?: number } = {},
): Delivered {
  const requests: string[] = [];
  const settled = { accepted: [] as number[], refused: [] as number[] };
  const round = deliver({
    parts,
    compare: (a, b) => a - b,
    settle: (items, verdict) => settled[verdict].push(...items),
  });
  let probes = 0;
  let step = round.next();
  while (!step.done) {
    if (step.value.kind === "probe") {
      requests.push("probe");
      step = round.next(probes++ < acceptedProbes ? "accepted" : "refused");
    } else {
      const { items } = step.value;
      requests.push(items.join(" "));
      step = round.next(answer(items, requests.length) ?? "accepted");
    }
  }
  return { ending: step.value, requests, ...settled };
}

const refuses =
  (...bad: readonly number[]): Answer =>
  (items) =>
    items.some((item) => bad.includes(item)) ? "refused" : undefined;
const refusesAll: Answer = () => "refused";

describe("a receiver that accepts", () => {
  test("gets each part once, in order", () => {
    const { ending, requests, accepted } = run([[1, 2], [3]], () => undefined);
    expect({ ending, requests, accepted }).toEqual({ ending: "done", requests: ["1 2", "3"], accepted: [1, 2, 3] });
  });

  test("gets no request for items without content, which are settled", () => {
    const { ending, accepted } = run([[1], [2]], ([item]) => (item === 1 ? "empty" : undefined));
    expect({ ending, accepted }).toEqual({ ending: "done", accepted: [1, 2] });
  });
});

describe("a refusal", () => {
  test("is an outage if the receiver refuses the probe, too", () => {
    expect(run([[1, 2], [3]], refusesAll, { acceptedProbes: 0 })).toEqual({
      ending: "outage",
      requests: ["1 2", "probe"],
      accepted: [],
      refused: [],
    });
  });

  test("of a part is narrowed down to the bad items", () => {
    const { ending, requests, accepted, refused } = run([[1, 2, 3, 4]], refuses(2));
    expect(requests).toEqual(["1 2 3 4", "probe", "1 2", "1", "2", "probe", "2", "3 4"]);
    expect({ ending, accepted, refused }).toEqual({ ending: "done", accepted: [1, 3, 4], refused: [2] });
  });

  test("of a single item is final after three requests with something accepted in between", () => {
    const { requests, refused } = run([[1]], refusesAll);
    expect({ requests, refused }).toEqual({ requests: ["1", "probe", "1", "probe", "1"], refused: [1] });
  });

  test("at the begin of an outage loses nothing", () => {
    const { ending, accepted, refused } = run([[1, 2, 3, 4, 5, 6, 7, 8]], refusesAll, { acceptedProbes: 1 });
    expect({ ending, accepted, refused }).toEqual({ ending: "outage", accepted: [], refused: [] });
  });

  test("at the end of an outage loses nothing", () => {
    const { ending, requests, refused } = run([[1, 2]], (_, request) => (request <= 4 ? "refused" : undefined));
    expect(requests.slice(0, 6)).toEqual(["1 2", "probe", "1", "probe", "1", "2"]);
    expect({ ending, refused }).toEqual({ ending: "done", refused: [] });
  });

  test("of many items does not try each of them", () => {
    const items = Array.from({ length: 4_096 }, (_, index) => index);
    const { ending, requests, refused } = run([items], refusesAll);
    expect(ending).toBe("done");
    expect(refused).toHaveLength(4_096);
    expect(requests.length).toBeLessThan(250);
  });

  test("of old items ends at the first one that is young enough, within a small group", () => {
    // Sensor by sensor, each from old to new.
    const items = Array.from({ length: 2_048 }, (_, index) => (index % 128) * 16 + Math.floor(index / 128));
    const { accepted, refused } = run([items], (sent) => (Math.min(...sent) < 1_500 ? "refused" : undefined));
    expect(refused.filter((item) => item >= 1_500).length).toBeLessThanOrEqual(64);
    expect(accepted.length + refused.length).toBe(2_048);
  });

  test("for the size of a request divides it", () => {
    const { requests, accepted } = run([[1, 2, 3, 4]], (items) => (items.length > 1 ? "too large" : undefined));
    expect(requests).toEqual(["1 2 3 4", "1 2", "1", "2", "3 4", "3", "4"]);
    expect(accepted).toEqual([1, 2, 3, 4]);
  });

  test("for the size of a single item is final only if the probe is accepted", () => {
    const tooLarge: Answer = () => "too large";
    expect(run([[1]], tooLarge)).toMatchObject({ ending: "done", refused: [1] });
    expect(run([[1]], tooLarge, { acceptedProbes: 0 })).toMatchObject({ ending: "outage", refused: [] });
  });
});

test("scattered bad items cost no good ones", () => {
  const items = Array.from({ length: 2_000 }, (_, index) => index);
  const { accepted, refused } = run([items], (sent) => (sent.some((item) => item % 30 === 7) ? "refused" : undefined));
  expect(refused.filter((item) => item % 30 !== 7)).toEqual([]);
  expect(accepted.length + refused.length).toBe(2_000);
});

describe("a failure", () => {
  test("ends the round and keeps what is not settled", () => {
    const { ending, accepted, refused } = run([[1], [2], [3]], ([item]) => (item === 2 ? "failed" : undefined));
    expect({ ending, accepted, refused }).toEqual({ ending: "outage", accepted: [1], refused: [] });
  });

  test("keeps a suspected item", () => {
    const { ending, refused } = run([[1, 2, 3, 4, 5, 6, 7, 8]], (_, request) => (request > 6 ? "failed" : "refused"));
    expect({ ending, refused }).toEqual({ ending: "outage", refused: [] });
  });

  test("of a request is retried five times", () => {
    const { ending, requests } = run([[1], [2]], (_, request) => (request > 1 ? "failed" : undefined));
    expect({ ending, requests }).toEqual({ ending: "outage", requests: ["1", ...Array(6).fill("2")] });
    expect(run([[1]], (_, request) => (request < 6 ? "failed" : undefined)).accepted).toEqual([1]);
  });

  test("is not retried if that is of no use", () => {
    expect(run([[1]], () => "held")).toMatchObject({ ending: "outage", requests: ["1"] });
  });
});
