import type { ReadFile } from "../config/reading-files.ts";
import { readTlsFiles, type TlsFiles } from "../config/tls-files.ts";
import { ExporterError } from "../errors/exporter-error.ts";
import type { TlsClientOptions } from "../lib/http/tls.ts";

/** How to trust the receiver and how to be trusted by it; all undefined for the usual authorities and no certificate. */
export interface TlsSettings extends TlsFiles {
  /** Name to expect in the certificate, where it differs from the host of the URL. */
  readonly serverName: string | undefined;
  readonly insecureSkipVerify: boolean;
  /** See `TlsClientOptions`. */
  readonly fingerprints?: readonly string[] | undefined;
}

/**
 * Options whose `read` reads the files at each call, the key with `readSecret`: client certificates are short-lived, and rotated
 * while the exporter runs. It rejects with ExporterError CA_UNREADABLE, SECRET_UNREADABLE, SECRET_EXPOSED or CONFIG_INVALID
 * when they are of no use.
 */
export function receiverTls(settings: TlsSettings, readFile: ReadFile, readSecret = readFile) {
  const { certFile, keyFile, serverName, insecureSkipVerify, fingerprints } = settings;
  return {
    serverName,
    insecureSkipVerify,
    fingerprints,
    read: async () => {
      if ((certFile === undefined) !== (keyFile === undefined)) {
        throw new ExporterError("CONFIG_INVALID", "OTLP over TLS: a client certificate and its key come together", {
          remedy: "Give both otlp.tls.cert_file and otlp.tls.key_file, or neither.",
        });
      }
      return await readTlsFiles(settings, readFile, readSecret);
    },
  } satisfies TlsClientOptions;
}
