import { describe, expect, test, vi } from "vitest";
import { createProgram, runProgram } from "../../src/cli/program.ts";
import { runInProcess } from "./support/command-in-process.ts";

interface Run {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

async function run(...args: string[]): Promise<Run> {
  const stdout = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  const stderr = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  try {
    const code = await runProgram(args);
    // Help wraps at the terminal width.
    const written = ({ mock }: typeof stdout) =>
      mock.calls
        .map(([text]) => String(text))
        .join("")
        .replace(/\s+/g, " ");
    return { code, stdout: written(stdout), stderr: written(stderr) };
  } finally {
    stdout.mockRestore();
    stderr.mockRestore();
  }
}

describe("command line", () => {
  test.each([
    [["--help"], /Commands: init .* serve .* check .* demo .* simulate /],
    [["serve", "--help"], /--config\.file.*--config\.check.*--once.*--web\.listen-address <address>.*--log\.level/],
    [["check", "--help"], /--log\.level <level> .*\(choices: .*default: "error"\)/],
    [["demo", "--help"], /--sensors.*--fault.*Faults: name/],
    [["--version"], /^prtg-exporter \d+\.\d+\.\d+.*, Node v\d+/],
  ])("prints the output of %j and exits with 0", async (args, expected) => {
    const { code, stdout, stderr } = await run(...args);
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(expected);
  });

  test.each([
    [[], /Usage: prtg-exporter/],
    [["serv"], /unknown command 'serv'.*Did you mean serve\?/],
    [["serve", "--config.fil", "x"], /unknown option '--config\.fil'.*Did you mean --config\.file\?/],
    [["serve", "--config", "x"], /unknown option '--config' \(Did you mean --config\.file\?\) $/],
    [["serve", "--web.config=x"], /unknown option '--web\.config=x' \(Did you mean --web\.config\.file\?\) $/],
    [["serve", "--nothing"], /unknown option '--nothing' $/],
    [["serve", "prtg.yaml"], /too many arguments/],
    [["serve", "--log.level", "loud"], /'--log\.level <level>' argument 'loud' is invalid.*debug, info, warn, error/],
    [["serve", "--web.listen-address", "9705"], /"9705" is not a listen address/],
    [["serve", "--web.telemetry-path", "/"], /Give a path such as \/metrics/],
    [["serve", "--web.telemetry-path", "/-/ready"], /Give a path such as \/metrics/],
    [["demo", "--sensors", "0"], /Give a whole number of at least 1/],
    [["demo", "--fault", "explode"], /there is no fault called "explode"/],
    [["check", "--compare.seed", "5"], /--compare\.seed needs --compare <number>/],
    [["check", "--compare.output", "x"], /--compare\.output needs --compare <number>/],
    [["check", "--compare", "0"], /Give a whole number from 1 to 1000000/],
    [["map"], /give --sensor <id>, or --all/],
    [["map", "--all", "--sensor", "2490"], /give --sensor <id> or --all, not both/],
    [["map", "--sensor", "2490.1"], /"2490\.1" is not the id of a sensor/],
    [["map", "--all", "--recording", "a", "--save", "b"], /--save cannot be combined with --recording/],
    [["backfill", "--from", "1d"], /give --output <folder> for files, or --push/],
    [["backfill", "--from", "1d", "--push", "--output", "x"], /'--push' cannot be used with option '--output/],
    [["serve", "--shard", "2/2"], /'--shard <i\/n>' argument '2\/2' is invalid/],
    [["serve", "--config.auto-reload-interval", "999ms"], /Give a duration of at least 1s/],
    [["serve", "--web.max-connections", "0"], /Give a whole number of at least 1/],
    [["serve", "--web.max-requests", "-1"], /Give a whole number of at least 0/],
    [["serve", "--web.telemetry-path", "/debug/x"], /Give a path such as \/metrics/],
    [["simulate", "--spelling", "odd"], /Allowed choices are live, specification/],
  ])("explains the error of %j and exits with 2", async (args, expected) => {
    const { code, stdout, stderr } = await run(...args);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(expected);
  });
});

test.each([
  ["the stack of an error", new TypeError("no stream"), /^prtg-exporter: TypeError: no stream\n +at .*\n$/s],
  ["another fault as text", "no stream", /^prtg-exporter: no stream\n$/],
])("a fault of a command exits with 1 and prints %s", async (_what, fault, expected) => {
  const stdin = vi.spyOn(process, "stdin", "get").mockImplementation(() => {
    throw fault;
  });
  const { code, stdout, stderr } = await runInProcess(["hash-password"]);
  stdin.mockRestore();
  expect([code, stdout]).toEqual([1, ""]);
  expect(stderr).toMatch(expected);
});

test("help fits 80 columns without broken words or repeated empty lines", () => {
  const program = createProgram();
  for (const command of [program, ...program.commands]) {
    const helpOf = (width: number): string => {
      const texts: string[] = [];
      command.configureOutput({ getOutHelpWidth: () => width, writeOut: (text) => texts.push(text) }).outputHelp();
      return texts.join("");
    };
    const help = helpOf(80);
    const lines = help.split("\n");
    expect(lines.length).toBeGreaterThan(10);
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
    expect(help).not.toMatch(/\n\n\n|\n\n$/);
    expect(help.split(/\s+/)).toEqual(helpOf(1_000).split(/\s+/));
  }
});

test("every command and every flag has a description", () => {
  const { commands } = createProgram();
  const flags = commands.flatMap((command) => [
    { name: command.name(), description: command.description() },
    ...command.options.map(({ long, description }) => ({ name: `${command.name()} ${long}`, description })),
  ]);
  expect(flags.length).toBeGreaterThan(100);
  expect(flags.filter(({ description }) => !/^\w.{8,}/.test(description))).toEqual([]);
});
