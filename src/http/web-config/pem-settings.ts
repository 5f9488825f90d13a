import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { resolve } from "node:path";
import type { KeyPath } from "../../config/origin.ts";
import { fileFault, type ReadFile } from "../../config/reading-files.ts";
import type { ErrorCode } from "../../errors/catalogue.ts";
import { printable } from "../../lib/printable-text.ts";

export interface SettingProblem {
  readonly path: KeyPath;
  readonly text: string;
  /** Default: WEB_CONFIG_INVALID. */
  readonly code?: ErrorCode;
}

export class SettingError extends Error {
  readonly problem: SettingProblem;

  constructor(problem: SettingProblem) {
    super(problem.text);
    this.problem = problem;
  }
}

const SECTION = "tls_server_config";
/** A longer path is probably the content of the file. */
const MAX_PATH_SHOWN = 300;

const PEM_CERTIFICATE =
  /-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----[\s\S]*?-----END (?:TRUSTED |X509 )?CERTIFICATE-----/g;

export interface PemSetting {
  readonly key: string;
  readonly content: string;
}

export interface PemSource {
  readonly base: string;
  readonly readFile: ReadFile;
}

/** Reads `<name>_file` or `<name>`. `undefined` if neither is set. @throws SettingError */
export async function readPem(
  name: "cert" | "key" | "client_ca",
  inline: unknown,
  file: string | undefined,
  source: PemSource,
): Promise<PemSetting | undefined> {
  if (file === undefined) {
    if (inline === undefined || inline === null || inline === "") return undefined;
    if (typeof inline === "string") return { key: name, content: inline };
    throw new SettingError({ path: [SECTION, name], text: "expected a PEM text, found something else (not shown)" });
  }
  const key = `${name}_file`;
  const path = resolve(source.base, file);
  try {
    return { key, content: await source.readFile(path) };
  } catch (error) {
    const text = `${pathText(file)} cannot be read: ${fileFault(error)}`;
    throw new SettingError({ path: [SECTION, key], text, code: "WEB_CONFIG_UNREADABLE" });
  }
}

function pathText(path: string): string {
  return path.length > MAX_PATH_SHOWN || /[\r\n]/.test(path) ? "the file (name not shown)" : printable(path);
}

/** Checks each certificate, because Node skips invalid ones. @throws SettingError */
export function parseCertificates({ key, content }: PemSetting): readonly X509Certificate[] {
  const blocks = content.match(PEM_CERTIFICATE) ?? [];
  if (blocks.length === 0) throw new SettingError({ path: [SECTION, key], text: "contains no PEM certificate" });
  return blocks.map((block, index) => {
    try {
      return new X509Certificate(block);
    } catch {
      throw new SettingError({ path: [SECTION, key], text: `certificate ${index + 1} is damaged` });
    }
  });
}

/** @throws SettingError */
export function parsePrivateKey({ key, content }: PemSetting): KeyObject {
  try {
    return createPrivateKey(content);
  } catch {
    const text = "contains no private key in PEM, or its key has a passphrase";
    throw new SettingError({ path: [SECTION, key], text });
  }
}
