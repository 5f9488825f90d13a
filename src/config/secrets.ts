import { createHmac, randomBytes } from "node:crypto";
import { inspect } from "node:util";
import { ExporterError } from "../errors/exporter-error.ts";
import type { Redactor } from "../errors/redactor.ts";
import { printable } from "../lib/printable-text.ts";
import { fileFault, type ReadFile } from "./reading-files.ts";

const REDACTED = "[redacted]";

/** Prints as `[redacted]`. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /** Call it only to send the value. */
  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return REDACTED;
  }

  toJSON(): string {
    return REDACTED;
  }

  [inspect.custom](): string {
    return REDACTED;
  }
}

/** Removes the last line break. Faults do not repeat the content. */
export function parseSecret(content: string): { readonly value: string } | { readonly fault: string } {
  const value = content.replace(/^\uFEFF/, "").replace(/\r?\n$/, "");
  if (value.trim() === "") return { fault: "is empty" };
  // Login forms and HTTP headers reject these. NUL indicates UTF-16 read as UTF-8.
  if (/[\r\n\0]/.test(value)) return { fault: "has more than one line, or is not UTF-8 text" };
  return { value };
}

/** Faults do not repeat the value. `undefined`: usable. */
export type FaultOf = (value: string) => string | undefined;

/** The key goes into `Authorization: Bearer <key>`. Other characters are copying errors. */
export function apiKeyFault(value: string): string | undefined {
  return /^[!-~]+$/.test(value) ? undefined : "contains a space or another character that is invalid in an API key";
}

/** Node.js sends one line of Latin-1. */
export function headerFault(value: string): string | undefined {
  return HEADER_VALUE.test(value) ? undefined : "contains characters that are invalid in an HTTP header";
}

export const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Adds its secrets to the redactor. */
export interface SecretSource {
  /** `file /run/secrets/prtg-api-key` or `environment variable PRTG_API_KEY`. */
  readonly description: string;
  /** Reads the file each time, for rotation. @throws ExporterError SECRET_UNREADABLE, SECRET_EXPOSED */
  readonly read: () => Promise<Secret>;
  /** Keyed hash of the secret. Empty before the first read. */
  readonly print: () => string;
}

/** @param configured The path in the configuration. @param path The path to open. */
export function fileSecret(
  configured: string,
  path: string,
  readFile: ReadFile,
  redactor: Redactor,
  faultOf: FaultOf = () => undefined,
): SecretSource {
  // The user may have entered the key instead of its path.
  const isPath = /[./\\]/.test(configured);
  const description = isPath ? `file ${printable(path)}` : "file (name not shown: it may be the secret itself)";
  const unreadable = (fault: string) => new ExporterError("SECRET_UNREADABLE", `${description} ${fault}`);
  let print = "";
  return {
    description,
    print: () => print,
    read: async () => {
      const content = await readFile(path).catch((error: unknown) => {
        throw error instanceof ExporterError ? error : unreadable(`cannot be read: ${fileFault(error)}`);
      });
      const parsed = parseSecret(content);
      if ("fault" in parsed) throw unreadable(parsed.fault);
      const { value } = parsed;
      redactor.add(value);
      const fault = faultOf(value);
      if (fault !== undefined) throw unreadable(fault);
      print = printOf(value);
      return new Secret(value);
    },
  };
}

export function environmentSecret(
  variable: string,
  secret: Secret,
  redactor: Redactor,
  faultOf: FaultOf = () => undefined,
): SecretSource {
  const description = `environment variable ${variable}`;
  redactor.add(secret.reveal());
  return {
    description,
    print: () => printOf(secret.reveal()),
    read: async () => {
      const fault = faultOf(secret.reveal());
      if (fault !== undefined) throw new ExporterError("SECRET_UNREADABLE", `${description} ${fault}`);
      return secret;
    },
  };
}

/** Makes hashes useless outside of this process. */
const PRINT_KEY = randomBytes(32);

function printOf(secret: string): string {
  return createHmac("sha256", PRINT_KEY).update(secret).digest("hex");
}
