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
  read(): Promise<Secret>;
  /** Keyed hash of the secret. Empty before the first read. */
  print(): string;
}

export class FileSecret implements SecretSource {
  readonly description: string;
  readonly #path: string;
  readonly #readFile: ReadFile;
  readonly #redactor: Redactor;
  readonly #faultOf: FaultOf;
  #print = "";

  /** @param configured The path in the configuration. @param path The path to open. */
  constructor(
    configured: string,
    path: string,
    readFile: ReadFile,
    redactor: Redactor,
    faultOf: FaultOf = () => undefined,
  ) {
    // The user may have entered the key instead of its path.
    this.description = /[./\\]/.test(configured)
      ? `file ${printable(path)}`
      : "file (name not shown: it may be the secret itself)";
    this.#path = path;
    this.#readFile = readFile;
    this.#redactor = redactor;
    this.#faultOf = faultOf;
  }

  async read(): Promise<Secret> {
    let content: string;
    try {
      content = await this.#readFile(this.#path);
    } catch (error) {
      if (error instanceof ExporterError) throw error;
      throw new ExporterError("SECRET_UNREADABLE", `${this.description} cannot be read: ${fileFault(error)}`);
    }
    const parsed = parseSecret(content);
    if ("fault" in parsed) throw new ExporterError("SECRET_UNREADABLE", `${this.description} ${parsed.fault}`);
    this.#redactor.add(parsed.value);
    const fault = this.#faultOf(parsed.value);
    if (fault !== undefined) throw new ExporterError("SECRET_UNREADABLE", `${this.description} ${fault}`);
    this.#print = printOf(parsed.value);
    return new Secret(parsed.value);
  }

  print(): string {
    return this.#print;
  }
}

export class EnvironmentSecret implements SecretSource {
  readonly description: string;
  readonly #secret: Secret;
  readonly #faultOf: FaultOf;

  constructor(variable: string, secret: Secret, redactor: Redactor, faultOf: FaultOf = () => undefined) {
    this.description = `environment variable ${variable}`;
    this.#secret = secret;
    this.#faultOf = faultOf;
    redactor.add(secret.reveal());
  }

  async read(): Promise<Secret> {
    const fault = this.#faultOf(this.#secret.reveal());
    if (fault !== undefined) throw new ExporterError("SECRET_UNREADABLE", `${this.description} ${fault}`);
    return this.#secret;
  }

  print(): string {
    return printOf(this.#secret.reveal());
  }
}

/** Makes hashes useless outside of this process. */
const PRINT_KEY = randomBytes(32);

function printOf(secret: string): string {
  return createHmac("sha256", PRINT_KEY).update(secret).digest("hex");
}
