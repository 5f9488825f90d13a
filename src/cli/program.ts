import { Argument, Command, CommanderError, Option, type OptionValues } from "commander";
import { addServiceFlags, addWorldFlags, exampleHelp, serviceFlagsFault } from "prtg-simulator/src/command/flags.ts";
import { FaultSyntaxError } from "prtg-simulator/src/faults/grammar.ts";
import type { FlagWarnings } from "../app/context.ts";
import { deprecatedFlags } from "../config/deprecated-names.ts";
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
import type { SyncFlags } from "./sync.ts";

/** Work of the chosen command. Resolves with the exit code. */
type Work = (redactor: Redactor) => Promise<number>;
type Choose = (work: Work) => void;

/** Resolves with the exit code: 0 success, 1 failure, 2 wrong usage. */
export async function runProgram(args: readonly string[]): Promise<number> {
  const redactor = new Redactor();
  let work: Work = async () => 0;
  const choose: Choose = (chosen) => {
    work = chosen;
  };
  const program = createProgram(choose, args[0]);
  try {
    program.parse(args, { from: "user" });
    return await work(redactor);
  } catch (error) {
    if (error instanceof CommanderError) {
      process.stderr.write(flagHint(program, error));
      return error.exitCode === 0 ? 0 : 2;
    }
    if (error instanceof FaultSyntaxError) {
      process.stderr.write(`error: ${error.message}\n`);
      return 2;
    }
    const text = error instanceof ExporterError ? describeError(error) : fault(error);
    process.stderr.write(`prtg-exporter: ${redactor.redact(text)}\n`);
    return 1;
  }
}

/**
 * @param choose Called with the work of the given command.
 * @param only Adds this command alone. Only the program's help lists all.
 */
export function createProgram(choose: Choose = () => undefined, only?: string): Command {
  const program = new Command("prtg-exporter")
    .description("PRTG Network Monitor (REST API v2) for Prometheus")
    .version(versionText(), "--version", "print the versions")
    .helpCommand(false)
    // Commander requires more than the longest flag leaves in 80 columns, and would break words.
    .configureHelp({ minWidthToWrap: 30 })
    .exitOverride();
  const add = COMMANDS.get(only ?? "");
  for (const each of add === undefined ? COMMANDS.values() : [add]) each(program, choose);
  return program;
}

interface Definition<Flags> {
  readonly name: string;
  readonly description: string;
  readonly addFlags: (command: Command) => Command;
  /** What is wrong with the flags together. */
  readonly faultOf?: (flags: Flags) => string | undefined;
  /** Imports a command only when it runs: `--help` needs none, `serve` needs no simulator. */
  readonly run: (flags: Flags & FlagWarnings, redactor: Redactor, argument: string) => Promise<number>;
}

type Add = (program: Command, choose: Choose) => void;

function define<Flags>({ name, description, addFlags, faultOf, run }: Definition<Flags>): [name: string, add: Add] {
  const add: Add = (program, choose) => {
    const command = program.command(name).description(description).allowExcessArguments(false).exitOverride();
    addFlags(command).action(() => {
      const flags = command.opts<Flags & OptionValues>();
      const wrong = faultOf?.(flags);
      if (wrong !== undefined) command.error(`error: ${wrong}`);
      const given = { ...flags, deprecated: deprecatedFlags(name, givenFlags(command)) };
      choose((redactor) => run(given, redactor, command.args[0] ?? ""));
    });
  };
  return [name, add];
}

function givenFlags(command: Command): readonly string[] {
  const given = command.options.filter((option) => command.getOptionValueSource(option.attributeName()) === "cli");
  return given.flatMap(({ long }) => long ?? []);
}

const HASH_HELP = `
Asks on a terminal, or reads one line of standard input. Each further step of
the cost doubles the time of a check.`;

const COMPLETION_HELP = `
The packages for Linux install all scripts. Without them, load one at the start
of your shell:
  bash  source <(prtg-exporter completion bash)
  zsh   source <(prtg-exporter completion zsh)
  fish  prtg-exporter completion fish | source`;

const COMMANDS: ReadonlyMap<string, Add> = new Map([
  define<InitFlags>({
    name: "init",
    description: "create the configuration for a PRTG server",
    addFlags: (command) => addLogFlags(addInitFlags(command), process.stderr.isTTY, "error"),
    run: async (flags, redactor) => (await import("./init/init.ts")).init(flags, redactor),
  }),
  define<ServeFlags>({
    name: "serve",
    description: "poll PRTG servers and serve their metrics",
    addFlags: (command) => {
      addShardFlag(addAutoReloadFlag(addConfigFlag(command)))
        .option("--config.check", "validate the configuration and exit")
        .option("--web.enable-lifecycle", "enable POST /-/reload to reload the configuration")
        .option("--once", "poll once, print the metrics page and exit");
      return addLogFlags(addLeaderElectionFlags(addWebFlags(command)), process.stderr.isTTY);
    },
    run: async (flags, redactor) => {
      const { serve, serveOnce } = await import("./serve.ts");
      const once = flags.once === true && flags["config.check"] !== true;
      return (once ? serveOnce : serve)(flags, redactor);
    },
  }),
  define<CheckFlags>({
    name: "check",
    description: "test everything that serve needs and report problems",
    addFlags: (command) => {
      addCompareFlags(command).option(
        "--report <file>",
        "also write a server report for bug reports, without names, hosts and values",
      );
      command.option("--sync", "also test what sync needs, and print what it would change now");
      const election = addLeaderElectionFlags(addWebConfigFlag(addShardFlag(addConfigFlag(command))));
      return addLogFlags(election, process.stderr.isTTY, "error");
    },
    faultOf: compareFlagsFault,
    run: async (flags, redactor) => (await import("./check/check.ts")).check(flags, redactor),
  }),
  define<MapFlags>({
    name: "map",
    description: "show which rules and series apply to channels",
    addFlags: (command) => addLogFlags(addMapFlags(addConfigFlag(command)), process.stderr.isTTY, "warn"),
    faultOf: mapFlagsFault,
    run: async (flags, redactor) => (await import("./map/map.ts")).map(flags, redactor),
  }),
  define<BackfillFlags>({
    name: "backfill",
    description: "import the history of a server into Prometheus, by files or by push",
    addFlags: (command) => addLogFlags(addBackfillFlags(addConfigFlag(command)), process.stderr.isTTY),
    faultOf: ({ push, output }) =>
      push !== true && output === undefined ? "give --output <folder> for files, or --push" : undefined,
    run: async (flags, redactor) => (await import("./backfill/backfill.ts")).backfill(flags, redactor),
  }),
  define<SyncFlags>({
    name: "sync",
    description: "keep acknowledgements of PRTG and silences of Alertmanager alike",
    addFlags: (command) => {
      const flags = addLeaderElectionFlags(addWebFlags(addConfigFlag(command), ":9706"), "prtg-exporter-sync");
      return addLogFlags(
        flags.option("--dry-run", "print what one round would change, and exit"),
        process.stderr.isTTY,
      );
    },
    run: async (flags, redactor) => (await import("./sync.ts")).sync(flags, redactor),
  }),
  define<DemoFlags>({
    name: "demo",
    description: "run the exporter with a simulated server",
    addFlags: (command) => {
      command.option("--tls", "let the simulated server serve HTTPS with a self-signed certificate");
      return addWorldFlags(addLogFlags(addWebFlags(command), process.stderr.isTTY));
    },
    run: async (flags, redactor) => (await import("./demo.ts")).demo(flags, redactor),
  }),
  define<SimulateFlags>({
    name: "simulate",
    description: "run a simulated PRTG server",
    addFlags: (command) => {
      addServiceFlags(command).option(
        "--from-report <file>",
        "simulate the server of a check --report file: release, spelling, sizes",
      );
      const withWorld = addWorldFlags(addLogFlags(command, process.stderr.isTTY));
      return withWorld.addHelpText("after", exampleHelp("prtg-exporter simulate"));
    },
    faultOf: serviceFlagsFault,
    run: async (flags, redactor) => (await import("./simulate/simulate.ts")).simulate(flags, redactor),
  }),
  define<HashPasswordFlags>({
    name: "hash-password",
    description: "print the bcrypt hash of a password for --web.config.file",
    addFlags: (command) =>
      command
        .addOption(
          new Option("--cost <number>", "base-2 logarithm of the rounds").default(10).argParser(integer(4, 16)),
        )
        .addHelpText("after", HASH_HELP),
    run: async (flags) => (await import("./hash-password.ts")).hashPassword(flags),
  }),
  define<object>({
    name: "completion",
    description: "print the completion script of a shell",
    addFlags: (command) =>
      command
        .addArgument(new Argument("<shell>", "shell to complete in").choices(["bash", "zsh", "fish"]))
        .addHelpText("after", COMPLETION_HELP),
    run: async (_flags, _redactor, shell) => {
      // Commander has checked the name of the shell.
      const { completionScript } = await import("./completion/completion.ts");
      process.stdout.write(completionScript(shell as Shell, createProgram()));
      return 0;
    },
  }),
]);

/** Commander suggests similar flags, but not `--config.file` for `--config`. */
function flagHint({ commands }: Command, { code, message }: CommanderError): string {
  if (code !== "commander.unknownOption" || message.includes("Did you mean")) return "";
  const [, start = ""] = /'(--[\w.-]+)/.exec(message) ?? [];
  const flags = commands.flatMap(({ options }) => options.flatMap(({ long }) => long ?? []));
  const [found] = flags.filter((flag) => start !== "" && flag.startsWith(`${start}.`));
  return found === undefined ? "" : `(Did you mean ${found}?)\n`;
}

function versionText(): string {
  const { version, revision } = readBuildInfo(process.env);
  return `prtg-exporter ${version}${revision === "" ? "" : ` (${revision})`}, Node ${process.version}`;
}

/** A bug: reports need the stack. */
function fault(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
