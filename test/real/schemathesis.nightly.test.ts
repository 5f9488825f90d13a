import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { crc32 } from "node:zlib";
import pLimit from "p-limit";
import { loadContract } from "prtg-simulator/src/api/contract/contract.ts";
import { RELEASE_NAMES, type ReleaseName, releaseOf, type SpellingName } from "prtg-simulator/src/release/release.ts";
import { startSimulator } from "prtg-simulator/src/simulator.ts";
import { createWorld } from "prtg-simulator/src/world/world.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { systemClock } from "../../src/lib/clock.ts";
import { TEST_KEY } from "../support/simulated-exporter.ts";
import { describeWithPrograms } from "./support/programs.ts";
import { attack, type Outcome } from "./support/schemathesis.ts";
import { refusesByDesign } from "./support/schemathesis-config.ts";

const SIZE = { probes: 6, groups: 24, devices: 60, sensors: 300, channels: 1200 };
const USER = { username: "tester", password: "password-of-the-tests" };
const SPELLINGS: readonly SpellingName[] = ["specification", "live"];
const LEAST_CASES = 1000;
const EXAMPLES = 2;
const AT_A_TIME = 2;
/** Under three minutes here. Machines may be five times slower. */
const PATIENCE_MS = 5 * 180_000;
/** Checks that fail by design. */
const EXCLUDED: Readonly<Record<SpellingName, readonly string[]>> = {
  specification: [],
  // Live servers answer 400 to a malformed token, the check only knows 401. Unit tests have both.
  live: ["--exclude-checks=ignored_auth"],
};

interface Run extends Outcome {
  readonly spelling: SpellingName;
  readonly release: ReleaseName;
}

describeWithPrograms(["schemathesis"], "Schemathesis", (programs) => {
  const seed = seedOfContract();
  const pairs = SPELLINGS.flatMap((spelling) => RELEASE_NAMES.map((release) => ({ spelling, release })));
  let folder: string;
  let runs: readonly Run[];

  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), "prtg-exporter-schemathesis-"));
    const begin = performance.now();
    const limit = pLimit(AT_A_TIME);
    runs = await Promise.all(pairs.map((pair) => limit(() => run(pair.spelling, pair.release))));
    const counts = runs.map(({ spelling, release, cases, offered }) => [spelling, release, offered.length, cases]);
    console.log(
      `seed ${seed}, ${Math.round((performance.now() - begin) / 1000)} s\n${counts.map((each) => each.join(" ")).join("\n")}`,
    );
  }, PATIENCE_MS);

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  async function run(spelling: SpellingName, release: ReleaseName): Promise<Run> {
    const world = createWorld({ seed: 1, size: SIZE, startedAt: Date.now() });
    const credentials = { apiKey: TEST_KEY, ...USER };
    const clock = systemClock;
    const simulator = await startSimulator({ world, clock, spelling, release, control: true, credentials });
    try {
      const outcome = await attack({
        ...{ simulator, program: programs.schemathesis, token: await login(simulator.url), seed },
        ...{ examples: EXAMPLES, limitMs: PATIENCE_MS, options: EXCLUDED[spelling] },
        systematic: await shareOf(spelling, release),
        folder: mkdtempSync(path.join(folder, `${spelling}-${release}-`)),
      });
      return { ...outcome, spelling, release };
    } finally {
      await simulator.close();
    }
  }

  test.each(pairs)(
    "finds nothing outside the contract in the spelling $spelling of release $release",
    ({ spelling, release }) => {
      const found = runs.find((each) => each.spelling === spelling && each.release === release);
      expect(found?.code, found?.report).toBe(0);
      expect(found?.cases).toBeGreaterThanOrEqual(LEAST_CASES);
    },
  );

  test.each(SPELLINGS)(
    "finds no failing operation in the spelling %s, apart from documented states and rules",
    (spelling) => {
      const those = runs.filter((each) => each.spelling === spelling);
      const worked = new Set(those.flatMap((each) => each.worked.map(({ id }) => id)));
      const refused = those.flatMap(({ offered }) => offered).filter(({ id }) => !worked.has(id));
      expect(refused.filter((operation) => !refusesByDesign(operation) && operation.id !== "closeSession")).toEqual([]);
      expect(new Set(refused.map(({ id }) => id)).size).toBeLessThan(0.1 * worked.size);
    },
  );
});

/**
 * Releases differ only in their operations, so one of them gets an operation's systematic cases. Making a request costs more
 * than answering.
 */
async function shareOf(spelling: SpellingName, release: ReleaseName): Promise<ReadonlySet<string>> {
  const { operations } = await loadContract();
  const systematic = operations.filter(({ availability }, index) => {
    const having = RELEASE_NAMES.filter((name) => releaseOf(name, spelling).has(availability));
    return having[index % having.length] === release;
  });
  return new Set(systematic.map(({ id }) => id));
}

/** Depends on the contract, so that unrelated commits meet no new cases. */
function seedOfContract(): number {
  return crc32(readFileSync(new URL("../../packages/simulator/api/openapi.yaml", import.meta.url)));
}

async function login(url: string): Promise<string> {
  const body = JSON.stringify(USER);
  const headers = { "Content-Type": "application/json" };
  const answer = await fetch(`${url}/api/v2/session`, { method: "POST", headers, body });
  const { token } = (await answer.json()) as { token: string };
  return token;
}
