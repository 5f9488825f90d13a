import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { SpellingName } from "../../../src/records/spelling.ts";
import { ASSERTIONS, type Assertion, judge, type Verdict } from "./assertions.ts";
import { startSpecified } from "./driver.ts";
import type { Running } from "./running.ts";
import { type Answer, answersOf, isReference, visitValues } from "./walk.ts";

/** Every rule for all answers, in both spellings. */

const SPELLINGS: readonly SpellingName[] = ["specification", "live"];
const MAX_SHOWN = 10;

describe.each(SPELLINGS)("all answers in the spelling %s", (spelling) => {
  let it: Running;
  let answers: readonly Answer[];
  let verdicts: ReadonlyMap<Assertion, Verdict>;

  beforeAll(async () => {
    it = await startSpecified({ spelling });
    answers = await answersOf(it, spelling);
    verdicts = judge(answers);
  });
  afterAll(() => it.simulator.close());

  const own = ASSERTIONS.filter((one) => one.spelling === undefined || one.spelling === spelling);
  test.each(own)("$chapter: $says", (assertion) => {
    const { tried, wrong } = verdicts.get(assertion) ?? { tried: 0, wrong: [] };
    expect(wrong.slice(0, MAX_SHOWN)).toEqual([]);
    expect(tried).toBeGreaterThan(0);
  });

  test("Resources: Reference object, Tree node response: an href leads to the object", async () => {
    const hrefs = new Map<string, unknown>();
    for (const answer of answers) {
      visitValues(answer, ({ name, value }) => {
        if (name === "href" && typeof value === "string" && value.startsWith("/api/v2/")) hrefs.set(value, undefined);
        if (isReference(value)) hrefs.set(String(value.href), value.id);
      });
    }
    const wrong: string[] = [];
    for (const [href, id] of hrefs) {
      const { status, json } = await it.send("GET", href.replace("/api/v2", ""));
      if (status !== 200 || (id !== undefined && (json as { id: string }).id !== id)) wrong.push(`${href} ${status}`);
    }
    expect(wrong).toEqual([]);
    expect(hrefs.size).toBeGreaterThan(50);
  });

  test("Common list query parameters: paginated lists carry their headers", () => {
    const wrong = answers.flatMap(({ path, received: { headers, json } }) => {
      const [pathname = ""] = path.split("?");
      const operation = it.contract.match("GET", `/api/v2${pathname}`)?.operation;
      if (operation?.paged !== true) return headers.has("x-request-id") ? [] : [path];
      const count = Number(headers.get("x-result-count"));
      const total = Number(headers.get("x-total-count"));
      const next = headers.get("link")?.includes('rel="next"') === true;
      const offset = Number(new URLSearchParams(path.split("?")[1]).get("offset"));
      const fits = count === (json as unknown[]).length && total >= count && next === offset + count < total;
      return fits && headers.has("x-request-id") ? [] : [`${path}: ${count} of ${total}, ${headers.get("link")}`];
    });
    expect(wrong).toEqual([]);
  });
});
