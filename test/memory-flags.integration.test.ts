import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { ALLOCATOR, HEAP_FLAGS } from "../src/memory-flags.ts";

const run = promisify(execFile);
const MODULE = fileURLToPath(new URL("../src/memory-flags.ts", import.meta.url));
const PROGRAM = `
  import { keepMemorySmall } from ${JSON.stringify(MODULE)};
  console.log(process.pid);
  keepMemorySmall();
  console.log(JSON.stringify({ flags: process.execArgv, arguments: process.argv.slice(1), arenas: process.env.MALLOC_ARENA_MAX }));
`;

interface Outcome {
  /** Of each beginning. */
  readonly pids: readonly string[];
  readonly flags: readonly string[];
  readonly arguments: readonly string[];
  readonly arenas: string | undefined;
}

async function start(args: readonly string[], env: Record<string, string> = {}): Promise<Outcome> {
  const { stdout } = await run(process.execPath, ["--input-type=module", "--eval", PROGRAM, "main", ...args], {
    env: { PATH: process.env.PATH, ...env },
  });
  const lines = stdout.trim().split("\n");
  return { pids: lines.slice(0, -1), ...JSON.parse(lines.at(-1) ?? "") };
}

it.each([["serve"], ["demo"], ["--some-flag", "serve"]])(
  "begins daemons once more, as what they are: %s %s",
  async (...args) => {
    const { pids, flags, arguments: given, arenas } = await start([...args, "--config.file", "x y"]);
    expect(pids).toHaveLength(2);
    expect(pids[0]).toBe(pids[1]);
    expect(flags.slice(0, 2)).toEqual(["--max-semi-space-size=8", "--heap-growing-percent=50"]);
    expect(given).toEqual(["main", ...args, "--config.file", "x y"]);
    expect(arenas).toBe("2");
  },
);

it.each([["check"], ["backfill"], []])("leaves other commands alone: %s", async (...args) => {
  const { pids, flags } = await start(args);
  expect(pids).toHaveLength(1);
  expect(flags).not.toContain("--max-semi-space-size=8");
});

it("gives way to what the user has set", async () => {
  const { pids } = await start(["serve"], { NODE_OPTIONS: "--max_semi_space_size=32" });
  expect(pids).toHaveLength(1);
  const { arenas } = await start(["serve"], { MALLOC_ARENA_MAX: "7" });
  expect(arenas).toBe("7");
});

it("need not be added to what the image starts", () => {
  const dockerfile = readFileSync(new URL("../Dockerfile", import.meta.url), "utf8");
  const [, entrypoint = "[]"] = /^ENTRYPOINT (.*)$/m.exec(dockerfile) ?? [];
  expect(JSON.parse(entrypoint)).toEqual(["/usr/local/bin/node", ...HEAP_FLAGS, "/opt/prtg-exporter/dist/main.js"]);
  for (const [name, value] of Object.entries(ALLOCATOR)) expect(dockerfile).toContain(` ${name}=${value} `);
});
