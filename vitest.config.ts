import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: "unit",
          include: ["test/**/*.test.ts"],
          exclude: ["test/real/**"],
          testTimeout: 30_000,
          // Many tests wait for sockets and child processes; one worker for each core but one would idle.
          maxWorkers: 2,
        },
      },
      {
        test: {
          name: "real",
          include: ["test/real/**/*.test.ts"],
          testTimeout: 300_000,
          hookTimeout: 300_000,
          fileParallelism: false,
        },
      },
    ],
  },
});
