import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { LongestFirst } from "./test/longest-first.ts";

/** Real programs may time out once on the shared machines of CI. The summary of .ci/run names it. A failed property is a counterexample. */
export const SECOND_CHANCE = process.env.CI === undefined ? 0 : { count: 1, condition: /^(?!Property failed)/ };

/** Properties try the same examples in each run of a commit, and others in the next commit. Nightly runs set a seed of their own. */
const seed = process.env.PRTG_EXPORTER_SEED ?? String(seedOfCommit());

function seedOfCommit(): number {
  const { status, stdout } = spawnSync("git", ["rev-parse", "HEAD"], { encoding: "utf8" });
  return status === 0 ? Number.parseInt(stdout.slice(0, 7), 16) : 1;
}

const REAL = "test/real/**/*.test.ts";
/** Of these, what measures times of a machine that is to be its own: one after the other, when all else is over. */
const ALONE = ["isolated-servers", "first-start", "pid-1"].map((name) => `test/real/${name}.test.ts`);
const CONTAINERS = "test/containers/**/*.test.ts";
const CLUSTER = "test/cluster/**/*.test.ts";
/** Long tests of parts that seldom change: see CONTRIBUTING.md. */
const NIGHTLY = process.env.PRTG_EXPORTER_NIGHTLY === "1" ? [] : ["test/**/*.nightly.test.ts"];
/** The whole program, and whatever starts processes: slower than a unit test, and asked for by name. */
const INTEGRATION = [
  ...["test/end-to-end/**/*.test.ts", "test/faults/**/*.test.ts", "test/**/*.integration.test.ts"],
  "packages/*/test/**/*.integration.test.ts",
];

const patient = {
  // Node.js strips the types itself, as in the product. This saves a fifth of the first `npm test`: Vite transforms nothing.
  experimental: { viteModuleRunner: false, nodeLoader: false },
  // Patience costs nothing: a machine five times slower than ours is no fault of the product.
  testTimeout: 60_000,
  hookTimeout: 60_000,
  // A second, the default, is less than a busy machine may need for one turn.
  expect: { poll: { timeout: 30_000 } },
  maxWorkers: 2,
};

/** Their processes mostly wait: for sockets, schedules, retries, and for time to come in which nothing may come. */
const waiting = { maxWorkers: 5, sequence: { groupOrder: 1 } };

/** Of programs that no one here wrote, on a machine that runs many of them. */
const realPrograms = {
  ...patient,
  retry: SECOND_CHANCE,
  testTimeout: 300_000,
  hookTimeout: 300_000,
  // What is compiled is there for the next start of the exporter, which spares more than half of it.
  env: { NODE_COMPILE_CACHE: fileURLToPath(new URL("node_modules/.cache/compile", import.meta.url)) },
};

const properties = {
  env: { PRTG_EXPORTER_SEED: seed },
  setupFiles: fileURLToPath(new URL("test/property-seed.ts", import.meta.url)),
};

/** Mutation tests and the fixtures of red tests run with the same settings. */
export const UNIT = {
  ...patient,
  ...properties,
  name: "unit",
  include: ["test/**/*.test.ts"],
  exclude: [REAL, CONTAINERS, CLUSTER, ...INTEGRATION],
  // A process and all modules anew for each of 300 files would cost more than their tests. Modules of ours keep
  // nothing that one test could leave to another: test/tiers.test.ts holds them to it.
  isolate: false,
};

export default defineConfig({
  test: {
    // Otherwise a missing snapshot passes, and is written. `--update=all` writes it.
    update: "none",
    sequence: { sequencer: LongestFirst },
    projects: [
      { test: UNIT },
      { test: { ...UNIT, name: "simulator", include: ["packages/*/test/**/*.test.ts"] } },
      {
        test: {
          ...patient,
          ...waiting,
          ...properties,
          name: "integration",
          include: INTEGRATION,
          exclude: [REAL, ...NIGHTLY],
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          ...realPrograms,
          ...waiting,
          name: "real",
          include: [REAL],
          exclude: [...NIGHTLY, ...ALONE],
        },
      },
      { test: { ...realPrograms, name: "real-alone", include: ALONE, fileParallelism: false } },
      {
        test: {
          name: "containers",
          include: [CONTAINERS],
          globalSetup: "test/containers/support/image-archive.ts",
          testTimeout: 300_000,
          hookTimeout: 1_200_000,
          retry: SECOND_CHANCE,
          fileParallelism: false,
        },
      },
      {
        test: {
          name: "cluster",
          include: [CLUSTER],
          globalSetup: "test/containers/support/image-archive.ts",
          testTimeout: 600_000,
          hookTimeout: 1_200_000,
          fileParallelism: false,
        },
      },
    ],
  },
});
