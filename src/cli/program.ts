import { Argument, Command, CommanderError, Option } from "commander";
import { addServiceFlags, addWorldFlags, exampleHelp, serviceFlagsFault } from "prtg-simulator/src/command/flags.ts";
import type { FlagWarnings } from "../app/context.ts";
import { type DeprecatedName, deprecatedFlags } from "../config/deprecated-names.ts";
import { describeError, ExporterError } from "../errors/exporter-error.ts";
import { Redactor } from "../errors/redactor.ts";
import { readBuildInfo } from "../telemetry/build-info.ts";
import { addBackfillFlags, type BackfillFlags } from "./backfill/flags.ts";
import type { CheckFlags } from "./check/check.ts";
import type { Shell } from "./completion/completion.ts";
import type { DemoFlags } from "./demo.ts";
import {
  addAutoReloadFlag,
  addCompareFlags,
  addConfigFlag,
  addLeaderElectionFlags,
  addLogFlags,
  addMapFlags,
  addShardFlag,
  addWebConfigFlag,
  addWebFlags,
  compareFlagsFault,
  integer,
  type MapFlags,
  mapFlagsFault,
} from "./flags.ts";
import type { HashPasswordFlags } from "./hash-password.ts";
import { addInitFlags, type InitFlags } from "./init/flags.ts";
import type { ServeFlags } from "./serve.ts";
import type { SimulateFlags } from "./simulate/simulate.ts";

/* Imports a command only when it runs: `--help` needs none, `serve` needs no simulator. */

/** Resolves with the exit code: 0 success, 1 failure, 2 wrong usage. */
export async function runProgram(args: readonly string[]): Promise<number> {
  const run: Run = { code: 0, redactor: new Redactor() };
  const program = createProgram(run, args[0]);
  try {
    await program.parseAsync(args, { from: "user" });
    return run.code;
  } catch (error) {
    if (error instanceof CommanderError) {
      process.stderr.write(flagHint(program, error));
      return error.exitCode === 0 ? 0 : 2;
    }
    const text = error instanceof ExporterError ? describeError(error) : fault(error);
    process.stderr.write(`prtg-exporter: ${run.redactor.redact(text)}\n`);
    return 1;
  }
}

export interface Run {
  code: number;
  readonly redactor: Redactor;
}

/** @param only Adds this command alone. Only the program's help lists all. */
export function createProgram(run: Run, only?: string): Command {
  const program = new Command("prtg-exporter")
    .description("PRTG Network Monitor (REST API v2) for Prometheus")
    .version(versionText(), "--version", "print the versions")
    .helpCommand(false)
    // Commander requires more than the longest flag leaves in 80 columns, and would break words.
    .configureHelp({ minWidthToWrap: 30 })
    .exitOverride();
  const add = COMMANDS.get(only ?? "");
  for (const each of add === undefined ? COMMANDS.values() : [add]) each(program, run);
  return program;
}

const COMMANDS: ReadonlyMap<string, (program: Command, run: Run) => void> = new Map([
  ["init", addInit],
  ["serve", addServe],
  ["check", addCheck],
  ["map", addMap],
  ["backfill", addBackfill],
  ["demo", addDemo],
  ["simulate", addSimulate],
  ["hash-password", addHashPassword],
  ["completion", addCompletion],
]);

function addInit(program: Command, run: Run): void {
  const command = subcommand(program, "init", "create the configuration for a PRTG server").action(
    async (flags: InitFlags) => {
      const { init } = await import("./init/init.ts");
      run.code = await init(flags, run.redactor);
    },
  );
  addLogFlags(addInitFlags(command), process.stderr.isTTY, "error");
}

function addServe(program: Command, run: Run): void {
  const serving = subcommand(program, "serve", "poll PRTG servers and serve their metrics");
  const command = addShardFlag(addAutoReloadFlag(addConfigFlag(serving)))
    .option("--config.check", "validate the configuration and exit")
    .option("--web.enable-lifecycle", "enable POST /-/reload to reload the configuration")
    .option("--once", "poll once, print the metrics page and exit")
    .action(async (flags: ServeFlags) => {
      const { serve, serveOnce } = await import("./serve.ts");
      const once = flags.once === true && flags["config.check"] !== true;
      run.code = await (once ? serveOnce : serve)(flags, run.redactor);
    });
  addLogFlags(addLeaderElectionFlags(addWebFlags(command)), process.stderr.isTTY);
}

function addCheck(program: Command, run: Run): void {
  const checking = subcommand(program, "check", "test everything that serve needs and report problems");
  const command = addCompareFlags(checking)
    .option("--report <file>", "also write a server report for bug reports, without names, hosts and values")
    .action(async (flags: CheckFlags) => {
      const fault = compareFlagsFault(flags);
      if (fault !== undefined) command.error(`error: ${fault}`);
      const { check } = await import("./check/check.ts");
      run.code = await check(flags, run.redactor);
    });
  const election = addLeaderElectionFlags(addWebConfigFlag(addShardFlag(addConfigFlag(command))));
  addLogFlags(election, process.stderr.isTTY, "error");
}

function addMap(program: Command, run: Run): void {
  const command = subcommand(program, "map", "show which rules and series apply to channels").action(
    async (flags: MapFlags) => {
      const fault = mapFlagsFault(flags);
      if (fault !== undefined) command.error(`error: ${fault}`);
      const { map } = await import("./map/map.ts");
      run.code = await map(flags, run.redactor);
    },
  );
  addLogFlags(addMapFlags(addConfigFlag(command)), process.stderr.isTTY, "warn");
}

function addBackfill(program: Command, run: Run): void {
  const command = subcommand(
    program,
    "backfill",
    "import the history of a server into Prometheus, by files or by push",
  ).action(async (flags: BackfillFlags) => {
    if (flags.push !== true && flags.output === undefined) {
      command.error("error: give --output <folder> for files, or --push");
    }
    const { backfill } = await import("./backfill/backfill.ts");
    run.code = await backfill(flags, run.redactor);
  });
  addLogFlags(addBackfillFlags(addConfigFlag(command)), process.stderr.isTTY);
}

function addDemo(program: Command, run: Run): void {
  const command = subcommand(program, "demo", "run the exporter with a simulated server")
    .option("--tls", "let the simulated server serve HTTPS with a self-signed certificate")
    .action(async (flags: DemoFlags) => {
      const { demo } = await import("./demo.ts");
      run.code = await demo(flags, run.redactor);
    });
  addWorldFlags(addLogFlags(addWebFlags(command), process.stderr.isTTY));
}

function addSimulate(program: Command, run: Run): void {
  const command = subcommand(program, "simulate", "run a simulated PRTG server").action(
    async (flags: SimulateFlags) => {
      const fault = serviceFlagsFault(flags);
      if (fault !== undefined) command.error(`error: ${fault}`);
      const { simulate } = await import("./simulate/simulate.ts");
      run.code = await simulate(flags, run.redactor);
    },
  );
  addServiceFlags(command).option(
    "--from-report <file>",
    "simulate the server of a check --report file: release, spelling, sizes",
  );
  addWorldFlags(addLogFlags(command, process.stderr.isTTY)).addHelpText("after", exampleHelp("prtg-exporter simulate"));
}

const HASH_HELP = `
Asks on a terminal, or reads one line of standard input. Each further step of
the cost doubles the time of a check.`;

function addHashPassword(program: Command, run: Run): void {
  subcommand(program, "hash-password", "print the bcrypt hash of a password for --web.config.file")
    .addOption(new Option("--cost <number>", "base-2 logarithm of the rounds").default(10).argParser(integer(4, 16)))
    .action(async (flags: HashPasswordFlags) => {
      const { hashPassword } = await import("./hash-password.ts");
      run.code = await hashPassword(flags);
    })
    .addHelpText("after", HASH_HELP);
}

const COMPLETION_HELP = `
The packages for Linux install all scripts. Without them, load one at the start
of your shell:
  bash  source <(prtg-exporter completion bash)
  zsh   source <(prtg-exporter completion zsh)
  fish  prtg-exporter completion fish | source`;

function addCompletion(program: Command, run: Run): void {
  subcommand(program, "completion", "print the completion script of a shell")
    .addArgument(new Argument("<shell>", "shell to complete in").choices(["bash", "zsh", "fish"]))
    .action(async (shell: Shell) => {
      const { completionScript } = await import("./completion/completion.ts");
      process.stdout.write(completionScript(shell, createProgram(run)));
    })
    .addHelpText("after", COMPLETION_HELP);
}

/** Commander suggests similar flags, but not `--config.file` for `--config`. */
function flagHint({ commands }: Command, { code, message }: CommanderError): string {
  if (code !== "commander.unknownOption" || message.includes("Did you mean")) return "";
  const [, start = ""] = /'(--[\w.-]+)/.exec(message) ?? [];
  const flags = commands.flatMap(({ options }) => options.flatMap(({ long }) => long ?? []));
  const [found] = flags.filter((flag) => start !== "" && flag.startsWith(`${start}.`));
  return found === undefined ? "" : `(Did you mean ${found}?)\n`;
}

function subcommand(program: Command, name: string, description: string): Command {
  return program
    .command(name)
    .description(description)
    .allowExcessArguments(false)
    .exitOverride()
    .hook("preAction", (command) => noteDeprecated(command));
}

/** @param names Default: the table. */
export function noteDeprecated(command: Command, names?: readonly DeprecatedName[]): void {
  const given = command.options.filter((option) => command.getOptionValueSource(option.attributeName()) === "cli");
  const flags = given.flatMap(({ long }) => long ?? []);
  const deprecated: FlagWarnings["deprecated"] = deprecatedFlags(command.name(), flags, names);
  command.setOptionValue("deprecated", deprecated);
}

function versionText(): string {
  const { version, revision } = readBuildInfo(process.env);
  return `prtg-exporter ${version}${revision === "" ? "" : ` (${revision})`}, Node ${process.version}`;
}

/** A bug: reports need the stack. */
function fault(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
