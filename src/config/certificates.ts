import { createPrivateKey, X509Certificate } from "node:crypto";
import { ExporterError } from "../errors/exporter-error.ts";
import { printable } from "./quote.ts";
import { fileFault, type ReadFile } from "./read-file.ts";

const PEM_CERTIFICATE =
  /-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----[\s\S]*?-----END (?:TRUSTED |X509 )?CERTIFICATE-----/g;

/**
 * The certificates of a PEM file, as text for `tls.connect`'s `ca`. Each one is parsed, because Node's TLS skips what
 * it cannot read and then reports the server's certificate as untrusted.
 * @throws ExporterError CA_UNREADABLE
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
  if (blocks.length === 0) throw new ExporterError("CA_UNREADABLE", `${file} holds no PEM certificate`);
  for (const [index, block] of blocks.entries()) {
    try {
      new X509Certificate(block);
    } catch {
      throw new ExporterError("CA_UNREADABLE", `certificate ${index + 1} in ${file} is damaged`);
    }
  }
  return blocks.join("\n").concat("\n");
}

/**
 * The private key of a PEM file. `readFile` may look at who else may read it.
 * @throws ExporterError SECRET_UNREADABLE, and what `readFile` throws of the catalogue
 */
export async function readPrivateKey(path: string, readFile: ReadFile): Promise<string> {
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
    throw new ExporterError("SECRET_UNREADABLE", `${file} holds no private key in PEM, or one with a passphrase`);
  }
  return content;
}
