import { start } from "prtg-simulator/src/library.ts";
import { expect, onTestFinished, test } from "vitest";
import { readPage } from "../../docs/support/pages.ts";

const { prose } = readPage("docs/simulator-in-tests.md");
const SEQUENCES = [...prose.matchAll(/^\| (`[^|]*`) \| ((?:\d{3}|broken|no JSON)[^|]*) \|$/gm)].map(
  ([, faults = "", answers = ""]) => ({ faults: faults.split("`").filter((each) => /^\w/.test(each)), answers }),
);
const ANSWER = /broken|no JSON|(\d{3})(?: with `([\w-]+): ([^`]+)`)?/g;

/** In the words of the page. @param header to show */
async function answerOf(url: string, key: string, header: string | undefined): Promise<string> {
  try {
    const answer = await fetch(`${url}/api/v2/experimental/sensors?limit=5`, {
      headers: { Authorization: `Bearer ${key}` },
    });
    const text = await answer.text();
    if (answer.ok && !isJson(text)) return "no JSON";
    return header === undefined
      ? String(answer.status)
      : `${answer.status} with \`${header}: ${answer.headers.get(header)}\``;
  } catch {
    return "broken";
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

test.each(SEQUENCES)("$faults answers $answers", async ({ faults, answers }) => {
  const prtg = await start({ sensors: 20, frozen: true, startAt: "2026-03-12T08:00:00Z", faults });
  onTestFinished(() => prtg.close());
  const expected = [...answers.matchAll(ANSWER)];
  const seen: string[] = [];
  for (const [, , header] of expected) seen.push(await answerOf(prtg.url, prtg.apiKey, header));
  expect(seen).toEqual(expected.map(([text]) => text));
  expect(seen.length).toBeGreaterThan(1);
});

test("the page has sequences and all members of the server", async () => {
  expect(SEQUENCES.length).toBeGreaterThan(7);
  const prtg = await start({ sensors: 20 });
  onTestFinished(() => prtg.close());
  for (const member of ["faults", "time", "requests", "objects"] as const) {
    const [, methods = ""] = new RegExp(`^\\| \`${member}\` \\| (.*) \\|$`, "m").exec(prose) ?? [];
    expect(methods.split(", ")).toEqual(Object.keys(prtg[member]).map((name) => `\`${name}\``));
  }
});
