import { describe, expect, test } from "vitest";
import { NOT_REHEARSED, planOf } from "../../../scripts/rehearsal/plan.ts";
import { evaluate, outputsOf, readReleaseWorkflow } from "../../../scripts/rehearsal/workflow.ts";

const ROOT = new URL("../../../", import.meta.url);
const { env, steps } = readReleaseWorkflow(ROOT);

describe("planOf", () => {
  test("rehearses each script of the release or has a reason", () => {
    const plan = planOf(steps);
    const left = plan.filter(({ reason }) => reason !== undefined).map(({ name }) => name);
    expect(new Set(left)).toEqual(new Set(Object.keys(NOT_REHEARSED)));
    const rehearsed = plan.filter(({ reason }) => reason === undefined).map(({ name }) => name);
    const made = [
      "The tag is on main",
      "Packages",
      "Build and push the image",
      "Push and sign the chart",
      "Publish the npm packages",
    ];
    expect(rehearsed).toEqual(expect.arrayContaining(made));
  });

  test("fails for an unknown action", () => {
    const step = { uses: "owner/action@0123456789012345678901234567890123456789", env: {} };
    expect(() => planOf([step])).toThrow(/owner\/action: name a reason/);
  });
});

describe("evaluate", () => {
  test("has all values that the release needs from GitHub", () => {
    const values = {
      "github.repository": "a/b",
      "github.repository_owner": "a",
      "secrets.GITHUB_TOKEN": "token",
      ...outputsOf("bases", "NODE_IMAGE=node@sha256:1\nBASE_IMAGE=base@sha256:2\n"),
    };
    for (const text of [
      ...Object.values(env),
      ...steps.flatMap((step) => [step.run ?? "", ...Object.values(step.env)]),
    ]) {
      expect(evaluate(text, values)).not.toContain("${{");
    }
    expect(evaluate("x ${{ steps.bases.outputs.BASE_IMAGE }}", values)).toBe("x base@sha256:2");
  });

  test("fails for an unknown value", () => {
    expect(() => evaluate("${{ github.event.number }}", {})).toThrow(/github\.event\.number/);
  });
});
