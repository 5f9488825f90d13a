import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { ALLOCATOR, HEAP_FLAGS } from "../../../src/app/process/memory-flags.ts";
import { NO_DEBUGGER, THREADS } from "../../../src/app/process/node-flags.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const run = promisify(execFile);
const MODULE = fileURLToPath(new URL("../../../src/app/process/node-flags.ts", import.meta.url));
const PROGRAM = `
  import { beginWithFlags } from ${JSON.stringify(MODULE)};
  console.log(process.pid);
  beginWithFlags();
  console.log(JSON.stringify({ flags: process.execArgv, arguments: process.argv.slice(1), arenas: process.env.MALLOC_ARENA_MAX, threads: process.env.UV_THREADPOOL_SIZE }));
`;

interface Outcome {
  /** Of each beginning. */
  readonly pids: readonly string[];
  readonly flags: readonly string[];
  readonly arguments: readonly string[];
  readonly arenas: string | undefined;
  readonly threads: string | undefined;
}

async function start(args: readonly string[], env: Record<string, string> = {}): Promise<Outcome> {
  const { stdout } = await run(process.execPath, ["--input-type=module", "--eval", PROGRAM, "main", ...args], {
    env: { PATH: process.env.PATH, ...env },
  });
  const lines = stdout.trim().split("\n");
  return { pids: lines.slice(0, -1), ...JSON.parse(lines.at(-1) ?? "") };
}

test.each([["serve"], ["demo"], ["--some-flag", "serve"]])(
  "begins daemons once more, as what they are: %s %s",
  async (...args) => {
    const { pids, flags, arguments: given, arenas, threads } = await start([...args, "--config.file", "x y"]);
    expect(pids).toHaveLength(2);
    expect(pids[0]).toBe(pids[1]);
    expect(flags.slice(0, 3)).toEqual(["--max-semi-space-size=8", "--disable-sigusr1", "--input-type=module"]);
    expect(given).toEqual(["main", ...args, "--config.file", "x y"]);
    expect(arenas).toBe("2");
    expect(threads).toBe("64");
  },
);

test.each([["check"], ["backfill"], []])("leaves other commands alone: %s", async (...args) => {
  const { pids, flags } = await start(args);
  expect(pids).toHaveLength(1);
  expect(flags).not.toContain("--max-semi-space-size=8");
});

test("gives way to what the user has set", async () => {
  const { flags } = await start(["serve"], { NODE_OPTIONS: "--max_semi_space_size=32" });
  expect(flags[0]).toBe("--disable-sigusr1");
  const { pids } = await start(["serve"], { NODE_OPTIONS: "--max_semi_space_size=32 --disable-sigusr1" });
  expect(pids).toHaveLength(1);
  const { arenas } = await start(["serve"], { MALLOC_ARENA_MAX: "7" });
  expect(arenas).toBe("7");
});

test("need not be added to what the image starts", () => {
  const dockerfile = readFileSync(new URL("../../../Dockerfile", import.meta.url), "utf8");
  const [, entrypoint = "[]"] = /^ENTRYPOINT (.*)$/m.exec(dockerfile) ?? [];
  expect(JSON.parse(entrypoint)).toEqual([
    "/usr/local/bin/node",
    ...HEAP_FLAGS,
    NO_DEBUGGER,
    "/opt/prtg-exporter/dist/main.js",
  ]);
  for (const [name, value] of Object.entries({ ...ALLOCATOR, ...THREADS }))
    expect(dockerfile).toContain(` ${name}=${value} `);
});

test("does not open the debugger for a signal", async () => {
  const program = `
    import { beginWithFlags } from ${JSON.stringify(MODULE)};
    import { url } from "node:inspector";
    beginWithFlags();
    process.kill(process.pid, "SIGUSR1");
    // The thread that takes the signal would have the main one open the debugger.
    await new Promise((resolve) => setTimeout(resolve, 300));
    console.log(String(url()));
  `;
  const { stdout, stderr } = await run(process.execPath, ["--input-type=module", "--eval", program, "main", "serve"], {
    env: { PATH: process.env.PATH },
  });
  expect(stderr).toBe("");
  expect(stdout.trim()).toBe("undefined");
});

test("writes reports that hold no secret, for any command", async () => {
  const folder = temporaryFolder({});
  const main = fileURLToPath(new URL("../../../src/main.ts", import.meta.url));
  const preload = `data:text/javascript,${encodeURIComponent("process.on('exit', () => process.report.writeReport('report.json'))")}`;
  await run(process.execPath, ["--import", preload, main, "--version"], {
    cwd: folder,
    env: { PATH: process.env.PATH, PRTG_API_KEY: "a-key-in-the-environment" },
  });
  const report = readFileSync(`${folder}/report.json`, "utf8");
  expect(JSON.parse(report).header.nodejsVersion).toBe(process.version);
  expect(report).not.toContain("a-key-in-the-environment");
});
