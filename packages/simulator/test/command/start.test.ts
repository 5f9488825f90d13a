import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { SHIPPED_SCENARIOS } from "../../src/command/flags.ts";
import { loadScenario, startService, timetable } from "../../src/command/start.ts";
import { ScenarioRun } from "../../src/scenario/run.ts";

const CREDENTIALS = { apiKey: "key", username: "user", password: "password" };
const ADDRESS = { host: "127.0.0.1", port: 0 };
const SMALL = { seed: 1, spelling: "live", release: "26.3", fault: [], sensors: 45 } as const;

async function scenarioFile(text: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "scenario-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, "story.yaml");
  await writeFile(file, text);
  return file;
}

describe("scenario", () => {
  test("is part of the program and has a name", async () => {
    const files = await readdir(new URL("../../scenarios/", import.meta.url));
    expect(files.toSorted()).toEqual(SHIPPED_SCENARIOS.map((name) => `${name}.yaml`));
    for (const name of SHIPPED_SCENARIOS) {
      expect((await loadScenario(name)).spec.steps.length).toBeGreaterThan(3);
    }
  });

  test("names file, line and column of an error", async () => {
    const file = await scenarioFile("name: x\nsteps:\n  - at: noon\n    select: { id: 1 }\n    status: down\n");
    await expect(loadScenario(file)).rejects.toMatchObject({
      code: "SCENARIO_INVALID",
      message: expect.stringMatching(/^the scenario cannot run\n.*story\.yaml:3:5: steps\[0\]\.at: expected a time/),
    });
  });

  test("stops the start if the world cannot play it", async () => {
    const file = await scenarioFile("name: x\nsteps:\n  - { at: +1m, select: { id: 77 }, status: down }\n");
    await expect(startService({ ...SMALL, scenario: file }, ADDRESS, CREDENTIALS)).rejects.toMatchObject({
      code: "SCENARIO_INVALID",
      message: expect.stringContaining("there is no object with the id 77"),
    });
  });

  test("starts with simulated time and prints a timetable", async () => {
    const file = await scenarioFile("name: told\nsteps:\n  - { at: +1m, select: { id: 1 }, rename: x }\n");
    const startAt = Date.UTC(2026, 2, 12, 8);
    const mode = { startAt, speed: 1 };
    const simulator = await startService({ ...SMALL, scenario: file }, ADDRESS, CREDENTIALS, mode);
    onTestFinished(() => simulator.close());
    expect(simulator.now() - startAt).toBeLessThan(10_000);
    expect(simulator.scenarios.runs.map(timetable)).toEqual([
      "playing: told\n  2026-03-12T08:01:00Z  rename to x: the probe 1 (Local Probe)",
    ]);
  });

  test("prints a timetable without steps", () => {
    const story = new ScenarioRun({ name: "empty", begin: 0, steps: [], changes: [], cancel: () => undefined });
    expect(timetable(story)).toBe("playing: empty");
  });
});

test("the same seed and start serve the same bytes", async () => {
  const startAt = Date.UTC(2026, 2, 12, 8);
  const bodies: string[] = [];
  for (const run of [1, 2]) {
    const simulator = await startService(SMALL, ADDRESS, CREDENTIALS, { startAt, speed: 1 });
    simulator.freezeAt(startAt + 60_000 * 5);
    const headers = { Authorization: `Bearer ${CREDENTIALS.apiKey}` };
    const response = await fetch(`${simulator.url}/api/v2/experimental/channels?limit=3000`, { headers });
    bodies.push(await response.text());
    await simulator.close();
    expect(response.status, `run ${run}`).toBe(200);
  }
  expect(bodies[1]).toBe(bodies[0]);
});
