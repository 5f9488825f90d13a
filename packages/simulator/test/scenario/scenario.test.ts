import { describe, expect, test } from "vitest";
import { parseScenario } from "../../src/scenario/scenario.ts";
import { ScenarioError } from "../../src/scenario/scenario-error.ts";

function complaints(text: string): readonly string[] {
  try {
    parseScenario(text, "test.yaml");
  } catch (error) {
    if (error instanceof ScenarioError) return error.message.split("\n");
    throw error;
  }
  return [];
}

function withStep(...lines: readonly string[]): string {
  return ["name: x", "steps:", "  - at: +1m", "    select: { tag: a }", ...lines.map((line) => `    ${line}`)].join(
    "\n",
  );
}

test("the parser reads times and durations", () => {
  const { spec } = parseScenario(
    withStep("status: down", "for: 1h30m", "repeat: { times: 3, every: 2h }", "message: no power"),
    "test.yaml",
  );
  expect(spec).toEqual({
    name: "x",
    steps: [
      {
        at: { after: 60_000 },
        select: { tag: "a" },
        status: "down",
        for: 5_400_000,
        repeat: { times: 3, every: 7_200_000 },
        message: "no power",
      },
    ],
  });
});

test("the parser accepts JSON and numeric ids", () => {
  const text = '{"name": "x", "steps": [{"at": "10:05", "select": {"id": [2001, "2002"]}, "remove": true}]}';
  expect(parseScenario(text, "-").spec.steps[0]).toMatchObject({
    at: { timeOfDay: 36_300_000 },
    select: { id: ["2001", "2002"] },
  });
});

describe("errors of a scenario file, with line and column", () => {
  test.each<[text: string, complaint: RegExp]>([
    ["", /^test\.yaml:1:1: expected a map with name and steps$/],
    ["name: [", /^test\.yaml:\d+:\d+: invalid YAML: /],
    ["name: x\nsteps: []", /^test\.yaml:2:1: steps: expected at least one step$/],
    ["name: x\nstep: []", /^test\.yaml:1:1: steps: missing: expected a list of steps$/],
    ["name: x\nstep: []", /^test\.yaml:2:1: step: unknown key$/],
    ["name: x\nsteps:\n  - 5", /^test\.yaml:3:5: steps\[0\]: expected a map with at, select and an action$/],
    [withStep(), /:3:5: steps\[0\]: the action is missing: one of status, set, /],
    [withStep("status: up", "remove: true"), /:6:5: steps\[0\]\.remove: a step has one action, .* status$/],
    [withStep("status: downn"), /:5:5: steps\[0\]\.status: expected one of up, warning, down/],
    [withStep("status: down", "for: 5 minutes"), /:6:5: steps\[0\]\.for: expected a duration such as 90s or 1h30m$/],
    [withStep("status: down", "for: 0s"), /:6:5: steps\[0\]\.for: expected a duration/],
    [withStep("status: down", "daily: true"), /:6:5: steps\[0\]\.daily: a repeated step needs for/],
    [
      withStep("status: down", "for: 25h", "daily: true"),
      /:6:5: steps\[0\]\.for: must end before the next repetition$/,
    ],
    [withStep("status: down", "for: 3m", "repeat: { times: 1, every: 5m }"), /:7:15: .*times: expected at least 2$/],
    [withStep("remove: true", "for: 3m"), /:6:5: steps\[0\]\.for: is allowed only with status, set and fault$/],
    [withStep("rename: y", "message: z"), /:6:5: steps\[0\]\.message: is allowed only with status and acknowledge$/],
    [withStep("set: { channel: a, to: high }"), /:5:24: steps\[0\]\.set\.to: expected a number$/],
    [
      withStep("add: { sensor: a, device: b }"),
      /:5:5: steps\[0\]\.add: expected sensor or device, and only one of them$/,
    ],
    [withStep("add: { device: b, kind: ping }"), /:5:5: steps\[0\]\.add: only a sensor has a kind$/],
    [withStep("move: { first: 1 }"), /:5:5: steps\[0\]\.move: expected id, path, type, kind, tag or below$/],
    [withStep("remove: true").replace("+1m", "5m"), /:3:5: steps\[0\]\.at: expected a time of the day such as "10:05"/],
    [withStep("remove: true").replace("tag: a", "tags: a"), /:4:15: steps\[0\]\.select\.tags: unknown key$/],
  ])("%j", (text, complaint) => {
    const found = complaints(text);
    if (complaint.test("")) expect(found.length).toBeLessThanOrEqual(1);
    else
      expect(
        found.some((line) => complaint.test(line)),
        found.join("\n"),
      ).toBe(true);
  });

  test("list all errors of the file", () => {
    expect(complaints("name: 5\nsteps:\n  - at: x\n    select: {}\n    remove: false")).toHaveLength(4);
  });

  test("include too many values from aliases", () => {
    const bomb = ["a: &a [x,x,x,x,x,x,x,x,x,x]"];
    for (const [from, to] of ["ab", "bc", "cd", "de"].map((pair) => [...pair] as [string, string])) {
      bomb.push(`${to}: &${to} [${Array.from({ length: 10 }, () => `*${from}`).join(",")}]`);
    }
    expect(complaints(bomb.join("\n"))[0]).toMatch(/too many values/);
  });
});
