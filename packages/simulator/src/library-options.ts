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

export interface LibraryFlags {
  readonly flags: ServiceFlags;
  readonly address: ServiceAddress;
}

/** Flags of the command with the values of the options. @throws TypeError that names a wrong option */
export function readOptions(options: StartOptions): LibraryFlags {
  const { host = DEFAULT_ADDRESS.host, port = 0, faults = [], ...others } = options;
  const command = addWorldFlags(addServiceFlags(new Command()));
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

function readValue(name: string, option: Option, value: unknown): unknown {
  if (option.isBoolean()) {
    if (typeof value === "boolean") return value;
    throw wrong(name, value, "Give true or false.");
  }
  if (option.parseArg !== undefined) return parsed(name, value, option.parseArg);
  if (typeof value === "string") return value;
  throw wrong(name, value, "Give a text.");
}

function parsed(name: string, value: unknown, parse: (text: string, previous: unknown) => unknown): unknown {
  try {
    return parse(textOf(value), undefined);
  } catch (error) {
    if (error instanceof InvalidArgumentError) throw wrong(name, value, error.message);
    throw error;
  }
}

/** Other values have no text that a flag accepts. */
function textOf(value: unknown): string {
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? "" : value.toISOString();
  return typeof value === "string" || typeof value === "number" ? String(value) : inspect(value);
}

function readFaults(faults: unknown): readonly string[] {
  if (!Array.isArray(faults)) throw wrong("faults", faults, 'Give a list such as ["error=503#2"].');
  return faults.map((text) => {
    if (typeof text !== "string") throw wrong("faults", text, 'Give a text such as "error=503#2".');
    return parseFault(text).text;
  });
}

function wrong(name: string, value: unknown, remedy: string): TypeError {
  return new TypeError(`${name}: found ${inspect(value)}. ${remedy}`);
}

const RENAMED: Readonly<Record<string, string>> = { "listen-address": "port", fault: "faults" };

/** Names the options instead of the flags. */
export function inOptions(text: string): string {
  return text.replaceAll(/--([a-z]+(?:-[a-z]+)*)/g, (_flag, name: string) => {
    return RENAMED[name] ?? name.replaceAll(/-(.)/g, (_dash, letter: string) => letter.toUpperCase());
  });
}
