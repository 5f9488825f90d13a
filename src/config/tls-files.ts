import { createPrivateKey, X509Certificate } from "node:crypto";
import { ExporterError } from "../errors/exporter-error.ts";
import type { TlsMaterial } from "../lib/http/tls.ts";
import { printable } from "../lib/printable-text.ts";
import { fileFault, type ReadFile } from "./reading-files.ts";

const PEM_CERTIFICATE =
  /-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----[\s\S]*?-----END (?:TRUSTED |X509 )?CERTIFICATE-----/g;

/**
 * Returns text for `ca` of `tls.connect`. Parses each certificate, because Node skips invalid ones and then distrusts the server. @throws
 * ExporterError CA_UNREADABLE
 */
export async function readCertificates(path: string, readFile: ReadFile): Promise<string> {
  const file = `file ${printable(path)}`;
  let content: string;
  try {
    content = await readFile(path);
  } catch (error) {
    throw new ExporterError("CA_UNREADABLE", `${file} cannot be read: ${fileFault(error)}`);
  }
  const blocks = content.match(PEM_CERTIFICATE) ?? [];
  if (blocks.length === 0) throw new ExporterError("CA_UNREADABLE", `${file} contains no PEM certificate`);
  for (const [index, block] of blocks.entries()) {
    try {
      new X509Certificate(block);
    } catch {
      throw new ExporterError("CA_UNREADABLE", `certificate ${index + 1} in ${file} is damaged`);
    }
  }
  return blocks.join("\n").concat("\n");
}

/** @throws ExporterError SECRET_UNREADABLE, SECRET_EXPOSED */
async function readPrivateKey(path: string, readFile: ReadFile): Promise<string> {
  const file = `file ${printable(path)}`;
  let content: string;
  try {
    content = await readFile(path);
  } catch (error) {
    if (error instanceof ExporterError) throw error;
    throw new ExporterError("SECRET_UNREADABLE", `${file} cannot be read: ${fileFault(error)}`);
  }
  try {
    createPrivateKey(content);
  } catch {
    const fault = /ENCRYPTED/.test(content)
      ? "contains a private key with a passphrase"
      : "contains no private key in PEM";
    throw new ExporterError("SECRET_UNREADABLE", `${file} ${fault}`);
  }
  return content;
}

/** A client certificate requires its key. */
export interface TlsFiles {
  readonly caFile: string | undefined;
  readonly certFile: string | undefined;
  readonly keyFile: string | undefined;
}

/** @throws ExporterError CA_UNREADABLE, SECRET_UNREADABLE, SECRET_EXPOSED */
export async function readTlsFiles(files: TlsFiles, readFile: ReadFile, readSecret: ReadFile): Promise<TlsMaterial> {
  const { caFile, certFile, keyFile } = files;
  const ca = caFile === undefined ? undefined : await readCertificates(caFile, readFile);
  const cert = certFile === undefined ? undefined : await readCertificates(certFile, readFile);
  const key = keyFile === undefined ? undefined : await readKeyOf(cert, keyFile, readSecret);
  return { ca, cert, key };
}

/** If `cert` is `undefined`, accepts any key. @throws ExporterError SECRET_UNREADABLE, SECRET_EXPOSED */
export async function readKeyOf(cert: string | undefined, keyFile: string, readSecret: ReadFile): Promise<string> {
  const key = await readPrivateKey(keyFile, readSecret);
  if (cert !== undefined && !new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))) {
    const message = `the key in file ${printable(keyFile)} does not belong to the client certificate`;
    throw new ExporterError("SECRET_UNREADABLE", message);
  }
  return key;
}
