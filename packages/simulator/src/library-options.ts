import { inspect } from "node:util";
import { Command, InvalidArgumentError, type Option } from "commander";
import {
  addServiceFlags,
  addWorldFlags,
  DEFAULT_ADDRESS,
  parsePort,
  type ServiceAddress,
  type ServiceFlags,
  serviceFlagsFault,
} from "./command/flags.ts";
import { parseFault } from "./faults/grammar.ts";
import type { StartOptions } from "./library-types.ts";

/** Flags that the library replaces or does not need. */
const FLAGS_OF_THE_COMMAND: readonly string[] = ["listenAddress", "fault", "readyFile", "exitWithStdin"];
const OWN_OPTIONS: readonly string[] = ["host", "port", "faults"];
/** Other flags with a parser take text. */
const NUMBERS = "seed probes groups devices sensors channels speed port classicPort".split(" ");

export interface LibraryFlags {
  readonly flags: ServiceFlags;
  readonly address: ServiceAddress;
}

/** Flags of the command with the values of the options. @throws TypeError that names a wrong option */
export function readOptions(options: StartOptions): LibraryFlags {
  if (typeof options !== "object" || options === null) throw wrong("options", options, "Give an object.");
  const { host = DEFAULT_ADDRESS.host, port = 0, faults = [], ...others } = options;
  const command = serviceCommand();
  const known = new Map(
    command.options
      .map((option) => [option.attributeName(), option] as const)
      .filter(([name]) => !FLAGS_OF_THE_COMMAND.includes(name)),
  );
  const given = Object.entries(others).filter(([, value]) => value !== undefined);
  const values = given.map(([name, value]) => {
    const option = known.get(name);
    if (option === undefined) {
      const names = [...known.keys(), ...OWN_OPTIONS].toSorted().join(", ");
      throw new TypeError(`${name}: there is no such option. The options are ${names}.`);
    }
    return [name, readValue(name, option, value)] as const;
  });
  const flags: ServiceFlags = { ...command.opts(), ...Object.fromEntries(values), fault: readFaults(faults) };
  const fault = serviceFlagsFault(flags);
  if (fault !== undefined) throw new TypeError(inOptions(fault));
  if (typeof host !== "string" || host === "") throw wrong("host", host, "Give a name or an address.");
  return { flags, address: { host, port: parsed("port", port, parsePort) as number } };
}

function serviceCommand(): Command {
  return addWorldFlags(addServiceFlags(new Command()));
}

function readValue(name: string, option: Option, value: unknown): unknown {
  if (option.isBoolean()) {
    if (typeof value === "boolean") return value;
    throw wrong(name, value, "Give true or false.");
  }
  if (option.parseArg !== undefined) return parsed(name, value, option.parseArg);
  if (typeof value === "string" && value.trim() !== "") return value;
  throw wrong(name, value, "Give a text that is not empty.");
}

function parsed(name: string, value: unknown, parse: (text: string, previous: unknown) => unknown): unknown {
  try {
    return parse(textOf(name, value), undefined);
  } catch (error) {
    if (error instanceof InvalidArgumentError) throw wrong(name, value, error.message);
    throw error;
  }
}

const OF_A_WRONG_TYPE = "(wrong type)";

/** A value of a wrong type has a text that no flag accepts. */
function textOf(name: string, value: unknown): string {
  if (NUMBERS.includes(name)) return typeof value === "number" ? String(value) : OF_A_WRONG_TYPE;
  if (value instanceof Date && name === "startAt") {
    return Number.isNaN(value.getTime()) ? OF_A_WRONG_TYPE : value.toISOString();
  }
  return typeof value === "string" ? value : OF_A_WRONG_TYPE;
}

function readFaults(faults: unknown): readonly string[] {
  return checkedFaults(faults).map((text) => parseFault(text).text);
}

/** @throws TypeError */
export function checkedFaults(faults: unknown): readonly string[] {
  if (!Array.isArray(faults)) throw wrong("faults", faults, 'Give a list such as ["error=503#2"].');
  return faults.map((text) => {
    if (typeof text !== "string") throw wrong("faults", text, 'Give a text such as "error=503#2".');
    return text;
  });
}

export function wrong(name: string, value: unknown, remedy: string): TypeError {
  return new TypeError(`${name}: found ${inspect(value)}. ${remedy}`);
}

const RENAMED: Readonly<Record<string, string>> = { "--listen-address": "port", "--fault": "faults" };

/** Names the options instead of the flags. @param text without values of the user */
export function inOptions(text: string): string {
  const names = new Map(serviceCommand().options.map((option) => [option.long, option.attributeName()]));
  return text.replaceAll(/(?<![\w-])--[a-z]+(?:-[a-z]+)*(?![\w-])/g, (flag) => {
    return RENAMED[flag] ?? names.get(flag) ?? flag;
  });
}
