import { createPrivateKey, X509Certificate } from "node:crypto";
import { ExporterError } from "../errors/exporter-error.ts";
import type { TlsMaterial } from "../lib/http/tls.ts";
import { readCertificates, readPrivateKey } from "./certificates.ts";
import { printable } from "./quote.ts";
import type { ReadFile } from "./read-file.ts";

/** PEM files of one side of TLS, as they are to be opened; a client's certificate and its key come together. */
export interface TlsFiles {
  readonly caFile: string | undefined;
  readonly certFile: string | undefined;
  readonly keyFile: string | undefined;
}

/**
 * Reads the files as they are now, the key with `readSecret`.
 * @throws ExporterError CA_UNREADABLE, SECRET_UNREADABLE, SECRET_EXPOSED
 */
export async function readTlsFiles(files: TlsFiles, readFile: ReadFile, readSecret: ReadFile): Promise<TlsMaterial> {
  const { caFile, certFile, keyFile } = files;
  const ca = caFile === undefined ? undefined : await readCertificates(caFile, readFile);
  const cert = certFile === undefined ? undefined : await readCertificates(certFile, readFile);
  const key = keyFile === undefined ? undefined : await readKeyOf(cert, keyFile, readSecret);
  return { ca, cert, key };
}

/**
 * The key of a certificate; of any where that is undefined.
 * @throws ExporterError SECRET_UNREADABLE, SECRET_EXPOSED
 */
export async function readKeyOf(cert: string | undefined, keyFile: string, readSecret: ReadFile): Promise<string> {
  const key = await readPrivateKey(keyFile, readSecret);
  if (cert !== undefined && !new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))) {
    const message = `the key in file ${printable(keyFile)} does not belong to the client certificate`;
    throw new ExporterError("SECRET_UNREADABLE", message);
  }
  return key;
}
