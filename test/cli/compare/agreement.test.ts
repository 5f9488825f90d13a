import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Finding } from "../../../src/cli/check/step.ts";
import { compareServers, differenceTable, summaryText, writeSummary } from "../../../src/cli/compare/agreement.ts";
import type { Comparison, Differing } from "../../../src/cli/compare/compare.ts";
import type { Difference } from "../../../src/cli/compare/verdict.ts";
import { Redactor } from "../../../src/errors/redactor.ts";
import { load } from "../../config/support.ts";
import { testContext } from "../../support/simulated-exporter.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const AUTH = "auth: { api_key_file: /run/secrets/key }";
const finding = (server: string, status: Finding["status"]): Finding => {
  return { server, subject: "login", status, text: "text" };
};

async function compared(findings: readonly Finding[], signal: AbortSignal) {
  const servers = ["hq", "branch"].map((name) => `{ name: ${name}, url: "https://127.0.0.1:9", ${AUTH} }`);
  const { config } = await load(`servers: [${servers.join(", ")}]`);
  const printed: string[] = [];
  const context = { ...testContext(), print: (text: string) => void printed.push(text) };
  return { found: await compareServers(5, {}, { config, findings, context, signal }), printed };
}

test("servers with a failure are not compared", async () => {
  const findings = [finding("hq", "FAILED"), finding("hq", "ok"), finding("branch", "FAILED")];
  const { found, printed } = await compared(findings, new AbortController().signal);
  const skipped = { subject: "agreement", status: "skipped", text: "not compared after the failure" };
  expect(found).toEqual([
    { server: "hq", ...skipped },
    { server: "branch", ...skipped },
  ]);
  expect(printed).toEqual([]);
});

test("an interrupted comparison is no finding", async () => {
  const { found } = await compared([finding("hq", "FAILED"), finding("branch", "warning")], AbortSignal.abort());
  expect(found.map(({ server }) => server)).toEqual(["hq"]);
});

function differing(sensorId: string, channelId: string | undefined, ...differences: Difference[]): Differing {
  return { object: { sensorId, channelId }, differences };
}

const VALUE: Difference = { kind: "value", metric: "prtg_channel_value", served: "5", own: undefined };
const STATUS: Difference = { kind: "status", metric: "", served: "up", own: "down" };

function comparison(more: Partial<Comparison> = {}): Comparison {
  return {
    ...{ chosen: 10, known: 500, agreed: 10, changed: 0, notRead: 0, failure: undefined },
    ...{ withheld: new Map(), differing: [], ...more },
  };
}

const servers = (...found: Differing[]) => [{ server: "hq", comparison: comparison({ differing: found }) }];

describe("table of differences", () => {
  test("has a row for each difference, with none for a missing side", () => {
    const table = differenceTable(servers(differing("2490", "1", VALUE), differing("2491", undefined, STATUS)));
    expect(table.split("\n").map((line) => line.split(/ {2,}/).filter((cell) => cell !== ""))).toEqual([
      ["SERVER", "OBJECT", "DIFFERS IN", "/METRICS", "OWN ENDPOINT", "METRIC"],
      ["hq", "2490.1", "value", "5", "none", "prtg_channel_value"],
      ["hq", "2491", "status", "up", "down"],
      [],
    ]);
  });

  test("is empty without differences", () => {
    expect(differenceTable(servers())).toBe("");
  });

  test("shows fifty rows and counts the rest", () => {
    const rows = (count: number) =>
      differenceTable(servers(differing("1", undefined, ...Array<Difference>(count).fill(STATUS)))).split("\n");
    expect(rows(50)).toHaveLength(52);
    expect(rows(53).slice(-3)).toEqual([expect.stringMatching(/^hq /), "and 3 more", ""]);
  });
});

describe("summary of a comparison", () => {
  test.each<{ more: Partial<Comparison>; text: string }>([
    { more: {}, text: "10 of 10 objects agree (500 are known)" },
    { more: { agreed: 9, changed: 1 }, text: "9 of 10 objects agree (500 are known); 1 changed meanwhile" },
    {
      more: { agreed: 9, notRead: 1, failure: "no answer" },
      text: "9 of 10 objects agree (500 are known); 1 could not be read: no answer",
    },
    {
      more: { withheld: new Map([["stale", 1]]) },
      text: "10 of 10 objects agree (500 are known); without value: 1 stale",
    },
    {
      more: { agreed: 9, differing: [differing("2", undefined, STATUS)] },
      text: "9 of 10 objects agree (500 are known); 1 differ in status",
    },
    {
      more: { agreed: 8, notRead: 2, failure: "no answer" },
      text: "8 of 10 objects agree (500 are known); 2 could not be read: no answer",
    },
    {
      more: {
        withheld: new Map([
          ["paused", 2],
          ["stale", 1],
        ]),
      },
      text: "10 of 10 objects agree (500 are known); without value: 2 paused, 1 stale",
    },
    {
      more: { agreed: 8, differing: [differing("1", "0", VALUE), differing("2", undefined, STATUS, STATUS)] },
      text: "8 of 10 objects agree (500 are known); 2 differ in status, value",
    },
  ])("$text", ({ more, text }) => {
    expect(summaryText(comparison(more))).toBe(text);
  });
});

describe("file of a comparison", () => {
  const summaryOf = async (found: Partial<Comparison>, file = join(temporaryFolder({}), "summary.json")) => {
    const redactor = new Redactor();
    redactor.add("planted-secret");
    await writeSummary(
      file,
      { version: "1.2.3", seed: 7, servers: [{ server: "hq", comparison: comparison(found) }] },
      redactor,
    );
    return { file, text: readFileSync(file, "utf8") };
  };

  test("has the counts and the differences, for its owner only", async () => {
    const { file, text } = await summaryOf({
      ...{ agreed: 7, changed: 1, withheld: new Map([["paused", 2]]) },
      differing: [differing("1", "0", VALUE), differing("2", undefined, STATUS)],
    });
    expect(JSON.parse(text)).toEqual({
      exporter: "1.2.3",
      seed: 7,
      servers: [
        {
          ...{ server: "hq", known_objects: 500, objects: 10, agree: 7, differ: 2, changed_meanwhile: 1 },
          ...{ not_read: 0, failure: null, without_value: { paused: 2 } },
          differences_by_kind: { value: 1, status: 1 },
          differences: [
            { object: "1.0", kind: "value", metrics: "5", own_endpoint: "none", metric: "prtg_channel_value" },
            { object: "2", kind: "status", metrics: "up", own_endpoint: "down" },
          ],
        },
      ],
    });
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test("has no secrets", async () => {
    const { text } = await summaryOf({ notRead: 1, failure: "said planted-secret" });
    expect(JSON.parse(text).servers[0].failure).toBe("said [redacted]");
  });

  test("that cannot be written is an error with its name", async () => {
    const file = join(temporaryFolder({}), "none", "summary.json");
    await expect(summaryOf({}, file)).rejects.toMatchObject({
      code: "REPORT_UNWRITABLE",
      message: expect.stringContaining(`${file} cannot be written: `),
    });
  });
});
