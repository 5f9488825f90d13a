import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { systemClock } from "../../src/lib/clock.ts";
import { type Contract, loadContract } from "../../src/simulator/api/contract/contract.ts";
import { type Simulator, startSimulator } from "../../src/simulator/simulator.ts";
import { createWorld } from "../../src/simulator/world/world.ts";
import { TEST_KEY } from "../support/simulated-exporter.ts";
import { describeWithPrograms } from "./support/programs.ts";
import { attack, DEPENDS_ON_MORE, LIMIT_MS } from "./support/schemathesis.ts";

const SIZE = { probes: 3, groups: 12, devices: 60, sensors: 300, channels: 1200 };
const EXAMPLES = 8;
const PHASES = "examples,coverage,fuzzing";
const USER = { username: "tester", password: "password-of-the-tests" };

/** Schemathesis makes up requests from the contract, right and wrong ones, and checks what comes back against it. */
describeWithPrograms(["schemathesis"], "Schemathesis finds nothing outside the contract", (programs) => {
  let folder: string;

  beforeAll(() => {
    folder = mkdtempSync(path.join(tmpdir(), "prtg-exporter-schemathesis-"));
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test.each(["specification", "live"] as const)(
    "in the spelling of %s",
    async (spelling) => {
      const world = createWorld({ seed: 1, size: SIZE, startedAt: Date.now() });
      const credentials = { apiKey: TEST_KEY, ...USER };
      const simulator: Simulator = await startSimulator({ world, clock: systemClock, spelling, credentials });
      // Live servers answer 400 to a token of another form, and the check knows 401 only; unit tests have both.
      const always = spelling === "live" ? ["--exclude-checks=ignored_auth"] : [];
      try {
        const all = (await loadContract()).operations;
        const operations = all.filter(({ seenLive }) => spelling === "live" || !seenLive);
        const absent = all.filter((operation) => !operations.includes(operation));
        always.push(...absent.flatMap(({ id }) => ["--exclude-operation-id", id]));
        const given = {
          simulator,
          program: programs.schemathesis,
          token: await login(simulator.url),
          operations,
          folder,
        };
        const calm = await attack({
          ...given,
          examples: EXAMPLES,
          phases: `${PHASES},stateful`,
          options: ["--exclude-method", "DELETE", ...always],
        });
        expect(calm.code, calm.report).toBe(0);
        expectNoWallOfRefusals(simulator, operations);
        // What deletes comes last: the rest needs something to be there.
        const deleting = await attack({
          ...given,
          examples: EXAMPLES,
          phases: PHASES,
          options: ["--include-method", "DELETE", ...always],
        });
        expect(deleting.code, deleting.report).toBe(0);
        expect(simulator.requests.count({ method: "DELETE", status: 204 })).toBeGreaterThan(4);
      } finally {
        await simulator.close();
      }
    },
    LIMIT_MS,
  );
});

/** What refuses everything does so for a reason that no schema can tell. */
function expectNoWallOfRefusals({ requests }: Simulator, operations: Contract["operations"]): void {
  const worked = (method: string, route: string) =>
    requests.counts().some((each) => each.method === method && each.route === route && (each.status ?? 500) < 300);
  const refused = operations.filter(({ method, path: route }) => method !== "DELETE" && !worked(method, route));
  expect(refused.filter(({ id }) => !DEPENDS_ON_MORE.test(id))).toEqual([]);
  expect(refused.length).toBeLessThan(0.1 * operations.length);
}

async function login(url: string): Promise<string> {
  const body = JSON.stringify(USER);
  const headers = { "Content-Type": "application/json" };
  const answer = await fetch(`${url}/api/v2/session`, { method: "POST", headers, body });
  const { token } = (await answer.json()) as { token: string };
  return token;
}
