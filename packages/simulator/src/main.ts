import { once } from "node:events";
import { Command, CommanderError } from "commander";
import manifest from "../package.json" with { type: "json" };
import { endOfInput } from "./command/end-of-input.ts";
import {
  addServiceFlags,
  addWorldFlags,
  exampleHelp,
  listenAddressOf,
  type ServiceFlags,
  serviceFlagsFault,
} from "./command/flags.ts";
import { stopWithLauncher } from "./command/launched.ts";
import { removeReadyFile } from "./command/ready-file.ts";
import { FaultSyntaxError } from "./faults/grammar.ts";

const WRONG_USAGE = 2;

stopWithLauncher();
const program = new Command(manifest.name)
  .description("A simulated PRTG server (REST API v2) for developing clients")
  .version(manifest.version, "--version", "print the version")
  .allowExcessArguments(false)
  // The longest flag leaves less than commander asks for in a terminal of 80 columns, which would then break words.
  .configureHelp({ minWidthToWrap: 30 })
  .exitOverride()
  .action(serve);
addWorldFlags(addServiceFlags(program)).addHelpText("after", exampleHelp(manifest.name));

async function serve(flags: ServiceFlags): Promise<void> {
  const fault = serviceFlagsFault(flags);
  if (fault !== undefined) program.error(`error: ${fault}`);
  const signals = [once(process, "SIGTERM"), once(process, "SIGINT")];
  const stopped = Promise.race(flags.exitWithStdin === true ? [...signals, endOfInput()] : signals);
  const { introduce, startService } = await import("./command/start.ts");
  const simulator = await startService(flags, listenAddressOf(flags), flags, flags);
  process.stdout.write(`${introduce(simulator, flags).join("\n")}\n`);
  await stopped;
  await removeReadyFile(flags.readyFile);
  await simulator.close();
}

/** 1 failure, 2 wrong usage. */
program.parseAsync().catch((error: unknown) => {
  if (error instanceof CommanderError) {
    process.exitCode = error.exitCode === 0 ? 0 : WRONG_USAGE;
  } else if (error instanceof FaultSyntaxError) {
    process.stderr.write(`error: ${error.message}\n`);
    process.exitCode = WRONG_USAGE;
  } else if (error instanceof Error && "remedy" in error) {
    process.stderr.write(
      `${manifest.name}: ${error.message}${error.remedy === undefined ? "" : `\n${error.remedy}`}\n`,
    );
    process.exitCode = 1;
  } else {
    throw error;
  }
});
