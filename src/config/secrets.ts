import { createHmac, randomBytes } from "node:crypto";
import { inspect } from "node:util";
import { ExporterError } from "../errors/exporter-error.ts";
import type { Redactor } from "../errors/redactor.ts";
import { printable } from "../lib/printable-text.ts";
import { fileFault, type ReadFile } from "./reading-files.ts";

const REDACTED = "[redacted]";

/** A value that must not be seen: every way of printing it gives `[redacted]`. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /** The value itself; call it where the value is put on the wire, nowhere else. */
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

/**
 * What a file or a variable holds, without the one line break that editors and `echo` put at its end; or why it
 * cannot be a secret, in words that do not repeat it.
 */
export function parseSecret(content: string): { readonly value: string } | { readonly fault: string } {
  const value = content.replace(/^\uFEFF/, "").replace(/\r?\n$/, "");
  if (value.trim() === "") return { fault: "is empty" };
  // These cannot be typed into a login form, and an HTTP header cannot carry them; NUL is UTF-16 read as UTF-8.
  if (/[\r\n\0]/.test(value)) return { fault: "holds more than one line, or is no UTF-8 text" };
  return { value };
}

/** Why a value cannot be used, in words that do not repeat it; undefined when it can. */
export type FaultOf = (value: string) => string | undefined;

/** It is sent as `Authorization: Bearer <key>`: what else it holds came from copying it. */
export function apiKeyFault(value: string): string | undefined {
  return /^[!-~]+$/.test(value) ? undefined : "holds a blank or another character that no API key has";
}

/** What Node.js sends as the value of a header: one line of Latin-1. */
export function headerFault(value: string): string | undefined {
  return HEADER_VALUE.test(value) ? undefined : "holds characters that no HTTP header can carry";
}

export const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Where a secret comes from. What it gives is known to the redactor from then on. */
export interface SecretSource {
  /** `file /run/secrets/prtg-api-key` or `environment variable PRTG_API_KEY`. */
  readonly description: string;
  /**
   * Reads anew each time, so that a rotated file is noticed.
   * @throws ExporterError SECRET_UNREADABLE when the file cannot be read or holds nothing usable, SECRET_EXPOSED when
   * others may read it and that is not to be
   */
  read(): Promise<Secret>;
  /** Tells what was read last from another secret, and says nothing else of it; empty before. */
  print(): string;
}

/** A secret in a file. */
export class FileSecret implements SecretSource {
  readonly description: string;
  readonly #path: string;
  readonly #readFile: ReadFile;
  readonly #redactor: Redactor;
  readonly #faultOf: FaultOf;
  #print = "";

  /** `given` is the path as configured, `path` the same one as it is to be opened. */
  constructor(given: string, path: string, readFile: ReadFile, redactor: Redactor, faultOf: FaultOf = () => undefined) {
    // A key given in place of the path of its file must not be repeated in messages.
    this.description = /[./\\]/.test(given)
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

/** A secret from an environment variable; it cannot change while the process runs. */
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

/** Of no use outside of this process. */
const PRINT_KEY = randomBytes(32);

function printOf(secret: string): string {
  return createHmac("sha256", PRINT_KEY).update(secret).digest("hex");
}
